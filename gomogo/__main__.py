"""`python -m gomogo` is `gomogo`, also where the project is not installed."""

from gomogo.cli import main

if __name__ == "__main__":
    main()
