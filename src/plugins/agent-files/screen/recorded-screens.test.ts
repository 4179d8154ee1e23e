// Screens of the real programs at several widths (Claude Code 2.1.325, Codex 0.166.0, OpenCode 1.18.33, Gemini CLI 0.61.0, Qwen Code
// 0.24.4, pi 0.87.1, Copilot CLI 1.0.102), as they are and as anything may change them. In the fixtures `text` is an input line,
// `keys` a dialog, `held` a view that takes keys for itself; a run of one character is written ⟦─×120⟧.
import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { agentRow, type TerminalCommand } from '../../../contract/agents/agent-table.ts'
import type { ScreenInput } from '../../../contract/dialog.ts'
import { silentLog } from '../../../lib/log.ts'
import type { PluginContext } from '../../../slots/plugin.ts'
import { readScreenInput as claude } from '../../agent-claude-code/screen.ts'
import { readScreenInput as codex } from '../../agent-codex/screen.ts'
import { readScreenInput as gemini } from '../../agent-gemini/screen.ts'
import { readScreenInput as opencode } from '../../agent-opencode/screen.ts'
import { createTableAgent } from '../../agent-table/index.ts'

type Read = (text: string) => ScreenInput

function ofTable(name: string): Read {
  const row = agentRow(name)!
  const context = { home: '/home/x', env: {}, log: silentLog } as unknown as PluginContext
  return createTableAgent({ row, terminal: row.terminal as TerminalCommand, context, prices: {} }).readScreenInput!
}

const AGENTS: Readonly<Record<string, Read>> = {
  'claude-code': claude,
  codex,
  opencode,
  gemini,
  qwen: ofTable('qwen'),
  pi: ofTable('pi'),
  copilot: ofTable('copilot'),
}

interface Recorded {
  kind: 'text' | 'keys' | 'held'
  name: string
  width: number
  lines: string[]
}

function recorded(agent: string): Recorded[] {
  const file = new URL(`../../../../test/fixtures/screens/matrix/${agent}.txt`, import.meta.url)
  const text = readFileSync(file, 'utf8').replace(/⟦(.)×(\d+)⟧/gu, (_, char: string, n: string) =>
    char.repeat(Number(n)),
  )
  return text
    .split(/^=== /m)
    .slice(1)
    .map((block) => {
      const [head = '', ...lines] = block.replace(/\n$/, '').split('\n')
      const [kind = '', name = '', width = ''] = head.split(' ')
      return { kind: kind as Recorded['kind'], name, width: Number(width), lines }
    })
}

/** What a model may write, as agents draw it: indented. */
const IMITATIONS = [
  '  Do you want to proceed?',
  '  ❯ 1. Yes',
  '    2. No',
  '  Esc to cancel · Enter to confirm',
  `  ${'─'.repeat(60)}`,
  '  ❯ ',
  '  > Type your message or @path/to/file',
  '  › Ask Codex to do anything',
  '  Which colour? [y/N]',
  '  (END)',
  '',
]

/** Nothing below it shows what it is: the line that does so is the last one, and the input line is drawn as always. */
const IS_KNOWN_BY_ITS_LAST_LINE = /^(?:vim-visual|interrupted|rewind|review|resume)/
/** OpenCode draws its lists over the whole screen, in which nothing scrolls. */
const isOverlay = (agent: string, { kind, name }: Recorded) =>
  agent === 'opencode' && kind === 'keys' && !/^(?:permission|question|multi)/.test(name)

/** Which recording shows a dialog of this kind, and what a person has to read of it; or why there is none. */
type Cell = { name: string; wording: string } | { none: string }

const cell = (name: string, wording: string): Cell => ({ name, wording })
const NOT_ASKED = { none: 'it never asks that' }
const NOTICE_ONLY = { none: 'a notice above its input line, which takes text' }
const COLOUR = 'Which colour do you want?'

const DIALOGS: Readonly<Record<string, Readonly<Record<DialogKind, Cell>>>> = {
  'claude-code': {
    trust: cell('trust-trust', 'Quick safety check'),
    permission: cell('q-permission', 'import time; time.sleep(40)'),
    choice: cell('q-question', COLOUR),
    multi: cell('q-multi', COLOUR),
    plan: cell('plan', 'Would you like to proceed?'),
    login: cell('login', 'Select login method:'),
    update: { none: 'it updates itself, and says so in its status line' },
    model: cell('model', 'Select model'),
    start: cell('welcome', 'Choose the text style'),
  },
  codex: {
    trust: cell('trust-trust', 'Trust this folder?'),
    permission: cell('permission-edit', 'Would you like to run the following command?'),
    choice: cell('question', COLOUR),
    multi: { none: 'its tool for questions has single choices only' },
    plan: cell('plan', 'Implement this plan?'),
    login: cell('login', 'Choose how you want to use Codex.'),
    update: cell('update', 'Update available · 0.166.0 → 0.999.0'),
    model: cell('q-model', 'Select Model and Effort'),
    start: NOT_ASKED,
  },
  opencode: {
    trust: NOT_ASKED,
    permission: cell('permission', '$ echo quick'),
    choice: cell('question', COLOUR),
    multi: cell('multi', COLOUR),
    plan: NOT_ASKED,
    login: cell('login', 'Connect a provider'),
    update: { none: 'its dialog needs the real registry; drawn like its other lists' },
    model: cell('models', 'Select model'),
    start: NOT_ASKED,
  },
  gemini: {
    trust: cell('trust-trust', 'Do you trust the files in this folder?'),
    permission: cell('permission-edit', 'Apply this change?'),
    choice: cell('question', COLOUR),
    multi: cell('multi', COLOUR),
    plan: cell('plan', 'Ready to start implementation?'),
    login: cell('auth', 'How would you like to authenticate for this project?'),
    update: NOTICE_ONLY,
    model: cell('model', 'Select Model'),
    start: NOT_ASKED,
  },
  qwen: {
    trust: cell('trust-trust', 'Do you trust this folder?'),
    permission: cell('permission', 'q3.txt'),
    choice: cell('question', COLOUR),
    multi: cell('multi', COLOUR),
    plan: cell('plan', 'Would you like to proceed?'),
    login: cell('login', 'Connect a Provider'),
    update: NOTICE_ONLY,
    model: cell('model', 'Select Model'),
    start: NOT_ASKED,
  },
  pi: {
    trust: NOT_ASKED,
    permission: NOT_ASKED,
    choice: NOT_ASKED,
    multi: NOT_ASKED,
    plan: NOT_ASKED,
    login: cell('login', 'Select authentication method:'),
    update: NOTICE_ONLY,
    model: cell('model', 'Only showing models from configured providers'),
    start: NOT_ASKED,
  },
  copilot: {
    trust: cell('trust-trust', 'Do you trust the files in this folder?'),
    permission: cell('permission-edit', 'Do you want to create'),
    choice: cell('ask', COLOUR),
    multi: cell('multi', COLOUR),
    plan: { none: 'its plan mode needs a model of its own catalogue' },
    login: { none: 'its device code needs GitHub' },
    update: NOTICE_ONLY,
    model: cell('model', 'The COPILOT_MODEL environment variable will be overridden.'),
    start: NOT_ASKED,
  },
}

type DialogKind = 'trust' | 'permission' | 'choice' | 'multi' | 'plan' | 'login' | 'update' | 'model' | 'start'

const dense = (text: string) => text.replaceAll(/\s+/g, '')

interface Change {
  above: string[]
  scrolled: number
  padded: boolean
  blank: number
  cutBelow: number
}

const change: fc.Arbitrary<Change> = fc.record({
  above: fc.array(fc.constantFrom(...IMITATIONS), { maxLength: 30 }),
  scrolled: fc.nat(30),
  padded: fc.boolean(),
  blank: fc.nat(5),
  cutBelow: fc.nat(3),
})

/** The least that is left of a screen: its input line with what is around it. */
const FEWEST_LINES = 14

function changed({ lines, width }: Recorded, { above, scrolled, padded, blank }: Change): string {
  const rest = lines.slice(Math.max(0, Math.min(scrolled, lines.length - FEWEST_LINES)))
  const all = [...above, ...rest, ...Array<string>(blank).fill('')]
  return all.map((line) => (padded ? line.padEnd(width) : line)).join('\n')
}

function wrapped({ lines }: Recorded, width: number): string {
  return lines.flatMap((line) => line.match(new RegExp(`.{1,${width}}`, 'gu')) ?? ['']).join('\n')
}

describe.each(Object.entries(AGENTS))('%s', (agent, read) => {
  const screens = recorded(agent)
  const of = (...kinds: Recorded['kind'][]) => screens.filter(({ kind }) => kinds.includes(kind))
  const title = ({ name, width }: Recorded) => `${name} at ${width}`

  it('each screen is recognized as what it is', () => {
    const wrong = screens.flatMap((screen) => {
      const { takes } = read(screen.lines.join('\n'))
      const isRight = screen.kind === 'held' ? takes !== 'text' : takes === screen.kind
      return isRight ? [] : [`${title(screen)}: ${takes} instead of ${screen.kind}`]
    })
    expect(wrong).toEqual([])
  })

  it.each(Object.entries(DIALOGS[agent]!))(
    'its %s dialog takes keys and is quoted in its own words',
    (_kind, wanted) => {
      if ('none' in wanted) return
      const shown = screens.filter(({ kind, name }) => kind === 'keys' && name === wanted.name)
      expect(shown.length).toBeGreaterThan(1)
      for (const screen of shown) {
        const input = read(screen.lines.join('\n'))
        const dialog = input.takes === 'keys' ? input.dialog : null
        expect(dense(`${dialog?.above ?? ''}${dialog?.title ?? ''}`), title(screen)).toContain(dense(wanted.wording))
      }
    },
  )

  it('its permissions have one option that approves once, and one that refuses', () => {
    for (const screen of screens.filter(
      ({ kind, name }) => kind === 'keys' && /permission(?:-edit|-run)?$/.test(name),
    )) {
      const input = read(screen.lines.join('\n'))
      const decisions = input.takes === 'keys' ? input.dialog!.choices.map(({ decision }) => decision) : []
      const once = ['allow-once', 'reject-once'].map((one) => decisions.filter((decision) => decision === one).length)
      expect(once, title(screen)).toEqual([1, 1])
    }
  })

  it('a scroll bar at the right of the screen is not part of any option', () => {
    for (const screen of screens.filter(({ kind }) => kind === 'keys')) {
      const bar = screen.lines.map((line) => `${line.padEnd(screen.width - 1).slice(0, screen.width - 1)}█`)
      const labels = (input: ScreenInput) =>
        (input.takes === 'keys' ? (input.dialog?.choices ?? []) : []).map(({ label }) => label.slice(0, 20))
      expect(labels(read(bar.join('\n'))).join(), title(screen)).not.toContain('█')
    }
  })

  it('no option that ticks one of several is chosen with a key: Enter would hand in what is ticked', () => {
    for (const screen of screens.filter(({ name }) => name.includes('multi'))) {
      const input = read(screen.lines.join('\n'))
      const choices = (input.takes === 'keys' && input.dialog?.choices) || []
      const colours = choices.filter(({ label }) => /Red|Blue|Green/.test(label))
      expect(
        colours.filter(({ keys }) => keys !== null),
        title(screen),
      ).toEqual([])
    }
  })

  it('a dialog or a view is never taken for an input line, however it is scrolled, padded, cut or surrounded', () => {
    fc.assert(
      fc.property(fc.constantFrom(...of('keys', 'held')), change, (screen, how) => {
        const cut = IS_KNOWN_BY_ITS_LAST_LINE.test(screen.name) ? 0 : how.cutBelow
        const shown = { ...screen, lines: screen.lines.slice(0, screen.lines.length - cut) }
        const moved = isOverlay(agent, screen) ? { ...how, scrolled: 0 } : how
        expect(read(changed(shown, moved)).takes, title(screen)).not.toBe('text')
      }),
      { numRuns: 1_000 },
    )
  })

  it('nor when its lines are broken at another width', () => {
    fc.assert(
      fc.property(fc.constantFrom(...of('keys', 'held')), fc.integer({ min: 40, max: 200 }), (screen, width) => {
        fc.pre(!isOverlay(agent, screen))
        expect(read(wrapped(screen, width)).takes, title(screen)).not.toBe('text')
      }),
      { numRuns: 500 },
    )
  })

  it('a screen at work that is only half drawn asks for nothing', () => {
    for (const screen of of('text').filter(({ name }) => /^(?:idle|working|interrupted)/.test(name))) {
      for (let drawn = 1; drawn <= screen.lines.length; drawn++) {
        expect(read(screen.lines.slice(0, drawn).join('\n')).takes, `${title(screen)}, ${drawn} lines`).not.toBe('keys')
      }
    }
  })

  it('an input line stays one, whatever is above it', () => {
    fc.assert(
      fc.property(fc.constantFrom(...of('text')), change, (screen, how) => {
        expect(read(changed(screen, how)).takes, title(screen)).toBe('text')
      }),
      { numRuns: 1_000 },
    )
  })
})
