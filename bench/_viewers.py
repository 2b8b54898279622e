"""Many viewers of a live game, in one separate process; each follows the events of the game to its end.

Usage: python -m bench._viewers PORT KEY COUNT. The program prints a line once all COUNT viewers are connected. At the
end it prints, as JSON, the number of viewers that received every version in order. Ten of them also build the text of
the page from its changes, and must have the same text at the end. The others only read the events, since the browsers
of real viewers build the text on their own computers.
"""

import asyncio
import json
import sys

_TEXT_BUILDER_COUNT = 10  # the number of viewers that build the text


async def follow(port: int, key: str, builds_text: bool, connected: asyncio.Semaphore) -> tuple[list[int], str]:
    """Follow one game. Returns the versions in the order of their arrival, and the final text if `builds_text`."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=1 << 22)
    writer.write(f"GET /watch/{key}/events HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode())
    versions: list[int] = []
    lines: list[str] = []
    event_kind = b""
    while line := await reader.readline():
        if line.startswith(b"event: "):
            event_kind = line[7:].rstrip()
            if event_kind == b"last":
                break
        elif line.startswith(b"id: "):
            if not versions:
                connected.release()
            versions.append(int(line[4:]))
        elif builds_text and line.startswith(b"data: ") and event_kind in (b"whole", b"change"):
            data = json.loads(line[6:])
            if event_kind == b"whole":
                lines = data["text"].split("\n")
            for begin, end, new_lines in data.get("hunks", ()):
                lines[begin:end] = new_lines
    writer.close()
    return versions, "\n".join(lines)


async def main() -> None:
    """Run all viewers and print what they received."""
    port, key, count = int(sys.argv[1]), sys.argv[2], int(sys.argv[3])
    connected = asyncio.Semaphore(0)
    tasks = [asyncio.create_task(follow(port, key, number < _TEXT_BUILDER_COUNT, connected)) for number in range(count)]
    for _ in range(count):
        await connected.acquire()
    print("there", flush=True)
    results = await asyncio.gather(*tasks)
    last_version = max(versions[-1] for versions, _ in results)
    texts = {text for _, text in results[:_TEXT_BUILDER_COUNT]}
    in_order = sum(versions == sorted(set(versions)) and versions[-1] == last_version for versions, _ in results)
    event_count = sum(len(versions) for versions, _ in results)
    print(json.dumps({"in_order": in_order if len(texts) == 1 else 0, "events": event_count}))


if __name__ == "__main__":
    asyncio.run(main())
