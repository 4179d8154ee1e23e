// Cuts a stream of server-sent events into events. Pure: text in, events out, whatever the pieces are.

export interface ServerSentEvent {
  id: string | null
  event: string
  data: string
}

export interface SseParser {
  /** Events that are complete with this piece. */
  push(piece: string): ServerSentEvent[]
}

export function createSseParser(): SseParser {
  let rest = ''
  return {
    push(piece) {
      // A block ends with an empty line; what follows the last one waits for its end.
      const blocks = (rest + piece).replaceAll('\r\n', '\n').split('\n\n')
      rest = blocks.pop()!
      return blocks.flatMap((block) => readBlock(block) ?? [])
    },
  }
}

function readBlock(block: string): ServerSentEvent | null {
  const event: ServerSentEvent = { id: null, event: 'message', data: '' }
  const data: string[] = []
  for (const line of block.split('\n')) {
    const [field, value] = splitLine(line)
    if (field === 'id') event.id = value
    if (field === 'event') event.event = value
    if (field === 'data') data.push(value)
  }
  return data.length === 0 ? null : { ...event, data: data.join('\n') }
}

/** A line that begins with a colon is a comment: its field is empty. */
function splitLine(line: string): [field: string, value: string] {
  const colon = line.indexOf(':')
  if (colon === -1) return [line, '']
  return [line.slice(0, colon), line.slice(colon + 1).replace(/^ /, '')]
}
