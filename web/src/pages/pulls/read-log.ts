// A log as text: without terminal colour codes, and with only the last state of redrawn lines.

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for.
const CODES = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[@-Z\\-_])/g
// biome-ignore lint/suspicious/noControlCharactersInRegex: the same.
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f]/g

export function readLog(log: string): string {
  return log
    .replace(CODES, '')
    .split('\n')
    .map((line) => line.replace(/\r$/, '').split('\r').at(-1)!.replace(CONTROLS, '').trimEnd())
    .join('\n')
    .trimEnd()
}
