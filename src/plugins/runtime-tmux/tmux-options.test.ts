import { describe, expect, it } from 'vitest'
import { plugin, tmuxOptions } from './index.ts'

describe('the options of tmux', () => {
  it.each([
    [{}, { socket: 'ao', graceMs: 3000 }],
    [
      { socket: 'mine', graceMs: undefined },
      { socket: 'mine', graceMs: 3000 },
    ],
    [{ graceMs: 0 }, { socket: 'ao', graceMs: 0 }],
  ])('reads %j', (given, data) => {
    expect(tmuxOptions.safeParse(given)).toEqual({ success: true, data })
  })

  it.each([
    [{ socket: 'a b' }, 'socket may hold letters, digits, - and _ only'],
    [{ socket: 7 }, 'socket must be text'],
    [{ graceMs: -1 }, 'graceMs must not be negative'],
    [{ graceMs: '3' }, 'graceMs must be a number'],
    [{ sokket: 'x' }, 'it has no option sokket (there are: socket, graceMs)'],
    [{ toString: 'x' }, 'it has no option toString (there are: socket, graceMs)'],
  ])('refuses %j', (given, why) => {
    expect(() => plugin.create(given, {} as never)).toThrow(why)
  })
})
