// The end of a CI log for an agent: whole lines, no colours, no time stamps, bounded.

/** Enough to see what failed; more would crowd out the agent's own context. */
const TAIL_BYTES = 16 * 1024
/** How much of a log is read to get there: time stamps and colours are removed. */
export const READ_LOG_BYTES = 4 * TAIL_BYTES

// Actions puts a time before every line; GitLab marks where sections begin and end.
const STAMP = /^\uFEFF?\d{4}-\d\d-\d\dT[\d:.]+Z (?:\d\d[EO]\+? ?)?/
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what a terminal would have swallowed
const CONTROLS = /section_(?:start|end):\d+:[^\r\n\u001b]*\r?|\u001b\[[0-9;]*[A-Za-z]/g

export function tidyLog(text: string): string {
  const whole = Buffer.byteLength(text) < READ_LOG_BYTES ? text : fromWholeLine(text)
  const lines = whole
    .replace(CONTROLS, '')
    .replace(/\r\n?/g, '\n')
    .split('\n')
    .map((line) => line.replace(STAMP, ''))
  const bytes = Buffer.from(lines.join('\n').trimEnd())
  if (bytes.length <= TAIL_BYTES) return bytes.toString('utf8')
  return fromWholeLine(bytes.subarray(-TAIL_BYTES).toString('utf8'))
}

function fromWholeLine(text: string): string {
  return text.slice(text.indexOf('\n') + 1)
}
