import { expect, it } from 'vitest'
import { countDue, playTimes } from './play-times.ts'
import { createPlayFilter, RESTORE_TERMINAL, waitBetween } from './playable.ts'
import { redactOutput, splitUnfinished } from './redact-output.ts'

it('pauses are cut, and a clock that goes back waits for nothing', () => {
  expect(playTimes([100, 150, 5_000, 4_000, 4_010], 2_000)).toEqual([0, 50, 2_050, 2_050, 2_060])
  expect(playTimes([], 2_000)).toEqual([])
})

it.each([
  [-1, 0],
  [0, 1],
  [9, 1],
  [10, 3],
  [19, 3],
  [20, 4],
  [99, 4],
])('at %i there are %i due', (position, count) => expect(countDue([0, 10, 10, 20], position)).toBe(count))

it('a pace waits as long as it was, cut and divided', () => {
  const wait = (before: number, at: number) => waitBetween(before, at, { speed: 2, idleLimitMs: 1_000 })
  expect([wait(0, 500), wait(0, 5_000), wait(500, 0)]).toEqual([250, 500, 0])
})

it('an unfinished sequence is awaited, but not without end', () => {
  const filter = createPlayFilter()
  expect([filter('a\u001b['), filter('31mb'), filter('\u001b]0;title'), filter(' more\u0007c')]).toEqual([
    'a',
    '\u001b[31mb',
    '',
    'c',
  ])
  const long = createPlayFilter()
  expect([long(`\u001b]0;${'x'.repeat(5_000)}`), long('d')]).toEqual(['', 'd'])
})

it('whatever a recording switched on is off again', () => {
  for (const off of ['?1049l', '?1000l', '?1006l', '?2004l', '?25h', '0m', 'r'])
    expect(RESTORE_TERMINAL).toContain(`\u001b[${off}`)
})

it('a secret is hidden between sequences and inside titles, and drawing stays', () => {
  const secret = 'hunter2-hunter2'
  expect(redactOutput(`pass ${secret} ok`, [secret])).not.toContain(secret)
  const drawn = redactOutput(`\u001b[31mpass ${secret}\u001b[0m\u001b]0;say ${secret}\u0007`, [secret])
  expect(drawn).not.toContain(secret)
  expect(drawn.startsWith('\u001b[31mpass ')).toBe(true)
  expect(drawn).toContain('\u001b[0m\u001b]0;say ')
  expect(drawn.endsWith('\u0007')).toBe(true)
})

it.each([
  ['one two', ['one ', 'two']],
  ['one\ntwo', ['one\n', 'two']],
  ['one\rtwo', ['one\r', 'two']],
  ['one ', ['one ', '']],
  ['x'.repeat(256), ['', 'x'.repeat(256)]],
  ['x'.repeat(257), ['x'.repeat(257), '']],
])('of %j a word that is not over waits', (text, parts) => expect(splitUnfinished(text)).toEqual(parts))
