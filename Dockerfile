# The page in a container: `docker build -t gomogo .`, then `docker run -p 127.0.0.1:8440:8440 gomogo`.
# Games are kept in /games, or where GOMOGO_STORE says; compose.yaml keeps them in PostgreSQL.
FROM python:3.11-slim
WORKDIR /gomogo
COPY pyproject.toml constraints.txt README.md LICENSE ./
COPY gomogo gomogo
COPY gomogo_core gomogo_core
COPY tournaments tournaments
COPY training training
COPY agents agents
RUN pip install --no-cache-dir -c constraints.txt '.[web,postgres]'
RUN useradd --create-home player && mkdir /games && chown player /games
USER player
WORKDIR /games
VOLUME /games
EXPOSE 8440
HEALTHCHECK --interval=30s --timeout=5s --start-period=20s CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8440/health', timeout=4)"]
CMD ["gomogo", "serve", "--host", "0.0.0.0", "--port", "8440"]
