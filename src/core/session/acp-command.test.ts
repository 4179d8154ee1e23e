import { expect, it } from 'vitest'
import { ghEnvironment } from '../boundary/gh-environment.ts'
import { withoutCallersTerminal } from '../text/terminal-variables.ts'
import { configuredAcpCommand } from './acp-command.ts'

it.each<[unknown, string[] | undefined | RegExp]>([
  [undefined, undefined],
  ['codex acp --x "a b"', ['codex', 'acp', '--x', 'a b']],
  [
    ['codex', ''],
    ['codex', ''],
  ],
  ['', /Name a program/],
  ['"" x', /Name a program/],
  [[], /Name a program/],
  ['codex "acp', /quotation mark/],
])('the command %j for ACP is %j', (acpCommand, expected) => {
  const read = () => configuredAcpCommand({ acpCommand } as never)
  if (!(expected instanceof RegExp)) return expect(read()).toEqual(expected)
  expect(read).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID', hint: expect.stringMatching(expected) }))
})

it('gh runs at home with nothing that opens, asks, pages or finds another repository', () => {
  const given = {
    GIT_DIR: '/w/.git',
    GIT_SSH: 'x',
    GH_REPO: 'o/r',
    GH_HOST: 'h',
    GH_DEBUG: '1',
    DEBUG: '1',
    PATH: '/bin',
    GH_TOKEN: 't',
  }
  const made = ghEnvironment({ ...given, EDITOR: 'vi', PAGER: 'less', GH_PROMPT_X: '1', NO_COLOR: '' })
  expect(
    Object.keys(made).filter((name) => /^(?:GIT_SSH|GH_REPO|GH_HOST|GH_DEBUG|DEBUG|GH_PROMPT_X)$/.test(name)),
  ).toEqual([])
  expect(made).toMatchObject({ PATH: '/bin', GH_TOKEN: 't', GIT_DIR: '/dev/null', GIT_CONFIG_GLOBAL: '/dev/null' })
  for (const name of ['GH_EDITOR', 'EDITOR', 'VISUAL', 'GH_BROWSER', 'BROWSER']) expect(made[name]).toBe('false')
  for (const name of ['GH_PAGER', 'PAGER']) expect(made[name]).toBe('cat')
  for (const name of ['GH_PROMPT_DISABLED', 'GH_NO_UPDATE_NOTIFIER', 'NO_COLOR', 'GIT_CONFIG_NOSYSTEM'])
    expect(made[name]).toBe('1')
  expect(made.GIT_TERMINAL_PROMPT).toBe('0')
})

it("an agent has its own terminal's variables, not the caller's", () => {
  const callers = [
    'TERM',
    'TERM_PROGRAM',
    'TERM_PROGRAM_VERSION',
    'TERMCAP',
    'TMUX',
    'TMUX_PANE',
    'STY',
    'WINDOW',
    'WINDOWID',
    'COLUMNS',
    'LINES',
  ]
  const given = Object.fromEntries([...callers, 'PWD', 'HOME'].map((name) => [name, 'x']))
  expect(withoutCallersTerminal(given, '/w')).toEqual({ HOME: 'x', PWD: '/w' })
})
