import { execFileSync } from 'node:child_process'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Session } from '../../contract/session.ts'
import type { AttachInfo } from '../../slots/runtime.ts'
import { TAB_SCRIPT, tabArguments } from './iterm2-terminal.ts'

const session = { id: 'mya-1' } as Session

function lineOf(command: string[], environment?: Record<string, string>): string {
  const attach: AttachInfo = {
    type: 'tmux',
    target: '0123456789ab-mya-1',
    command,
    ...(environment ? { environment } : {}),
  }
  return tabArguments({ session, attach })[2]
}

describe('tabArguments', () => {
  it('S0.58 marks the tab by the unique name, titles it by the clean one, and types the attach command', () => {
    const command = ['tmux', '-L', 'ao', 'attach-session', '-t', '=0123456789ab-mya-1']
    expect(tabArguments({ session, attach: { type: 'tmux', target: '0123456789ab-mya-1', command } })).toEqual([
      '0123456789ab-mya-1',
      'mya-1',
      "exec env -u TMUX tmux -L ao attach-session -t '=0123456789ab-mya-1'",
    ])
  })

  it("passes the runtime's environment on", () => {
    expect(lineOf(['tmux'], { TMUX_TMPDIR: "/Users/o'hara/a b" })).toBe(
      "exec env -u TMUX 'TMUX_TMPDIR=/Users/o'\\''hara/a b' tmux",
    )
  })

  it('lets a shell see exactly the words of the command, whatever they hold', () => {
    const word = fc.string({ maxLength: 20, unit: 'grapheme' }).filter((text) => !/\p{Cc}/u.test(text))
    fc.assert(
      fc.property(fc.array(word, { maxLength: 5 }), (parts) => {
        const line = lineOf(['printf', '[%s]', ...parts])
        const printed = execFileSync('/bin/sh', ['-c', line], { encoding: 'utf8' })
        expect(printed).toBe(parts.length === 0 ? '[]' : parts.map((one) => `[${one}]`).join(''))
      }),
      { numRuns: 30 },
    )
  })

  it.each(['a\nb', 'a\rb', '\u0003', '\u001b[A'])('refuses %j, which would be a key press', (word) => {
    expect(() => lineOf(['tmux', word])).toThrow('cannot be typed')
  })
})

describe('TAB_SCRIPT', () => {
  it('takes everything about the session as arguments, so that nothing can be injected', () => {
    expect(TAB_SCRIPT).toMatch(/^on run argv\n/)
    expect(TAB_SCRIPT).not.toContain('${')
    expect(TAB_SCRIPT.match(/item \d of argv/g)).toEqual(['item 1 of argv', 'item 2 of argv', 'item 3 of argv'])
  })

  it('closes every block that it opens', () => {
    const lines = TAB_SCRIPT.trim()
      .split('\n')
      .map((line) => line.trim())
    const opens = lines.filter((line) => /^(on run|repeat |try$|if .* then$|tell (?!.* to ))/.test(line))
    expect(lines.filter((line) => /^end /.test(line))).toHaveLength(opens.length)
  })
})
