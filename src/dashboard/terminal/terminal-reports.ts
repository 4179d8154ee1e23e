// Automatic replies of a browser's terminal are kept from the agent: its own terminal has answered already, and a second
// reply would be taken for typed input.

const REPORTS = new RegExp(
  [
    // Cursor position, terminal type, status, size, supported keys.
    '\\u001b\\[[?>=]?[0-9;]*[cnR]',
    '\\u001b\\[[0-9;]+t',
    '\\u001b\\[\\?[0-9]+u',
    // Whether a mode is on.
    '\\u001b\\[\\??[0-9;]*\\$y',
    // Its colours.
    '\\u001b\\](?:4;[0-9]+|1[0-9]);rgba?:[0-9a-fA-F/]+(?:\\u0007|\\u001b\\\\)',
    // Names, capabilities, settings.
    '\\u001bP[^\\u001b]*\\u001b\\\\',
  ].join('|'),
  'g',
)

const ESCAPE = 0x1b

export function withoutReports(typed: Uint8Array): Uint8Array {
  if (!typed.includes(ESCAPE)) return typed
  const text = Buffer.from(typed).toString('latin1')
  const kept = text.replaceAll(REPORTS, '')
  return kept.length === text.length ? typed : Buffer.from(kept, 'latin1')
}
