import { expect, it } from 'vitest'
import { withoutReports } from './terminal-reports.ts'

const strip = (text: string) => Buffer.from(withoutReports(Buffer.from(text))).toString()

it.each([
  ['where the cursor is', '\u001b[12;40R'],
  ['what kind of terminal it is', '\u001b[?62;4;22c\u001b[>0;276;0c'],
  ['that it is well', '\u001b[0n'],
  ['whether a mode is on', '\u001b[?2026;2$y'],
  ['its background', '\u001b]11;rgb:1e1e/1e1e/1e1e\u0007'],
  ['one of its colours', '\u001b]4;12;rgb:00/00/ff\u001b\\'],
  ['its version', '\u001bP>|xterm.js(6.0.0)\u001b\\'],
])('keeps from the agent %s', (_, report) => {
  expect(strip(`a${report}b`)).toBe('ab')
})

it.each([
  ['arrows', '\u001b[A\u001b[1;5D\u001bOC'],
  ['a paste', '\u001b[200~two\nlines\u001b[201~'],
  ['the mouse', '\u001b[<0;10;5M'],
  ['focus', '\u001b[I\u001b[O'],
  ['keys of the newer protocol', '\u001b[97;5u'],
  ['letters of all kinds', 'äöü € 🙂'],
  ['a lone escape', '\u001b'],
])('passes %s on', (_, keys) => {
  expect(strip(keys)).toBe(keys)
})
