import { describe, expect, it } from 'vitest'
import type { ConsentKind } from '../../contract/config/consent.ts'
import { describeFinding, findConsent } from './find-consent.ts'
import { HIDDEN, hideWritten, isSecretPath } from './secret-path.ts'
import { withChange } from './with-change.ts'

/** `content` is what consent is given to: it must stay the same over versions, or everybody is asked again. */
describe('a person is asked', () => {
  it.each<[ConsentKind, string, Record<string, unknown>, RegExp, string[]]>([
    [
      'postCreate',
      'projects.app',
      { postCreate: ['npm ci', 'npm test'] },
      /^project app runs in every new worktree: "npm ci", "npm test"$/,
      ['npm ci', 'npm test'],
    ],
    ['postCreate', 'projects.app', { postCreate: 'make' }, /: "make"$/, ['make']],
    [
      'postCreate',
      'defaults',
      { postCreate: ['preRemove', 'x'] },
      /^every project runs/,
      ['postCreate', 'preRemove', 'x'],
    ],
    ['postCreate', 'defaults', { postCreate: ['postCreate'] }, /worktree/, ['postCreate', 'postCreate']],
    [
      'postCreate',
      'projects.app',
      { preRemove: ['rm x'] },
      /runs before a worktree is removed: "rm x"$/,
      ['preRemove', 'rm x'],
    ],
    [
      'ci',
      'projects.app',
      { ci: ['a'] },
      /^project app runs as CI on the commits of its pull requests: \["a"\]$/,
      ['["a"]'],
    ],
    ['ci', 'projects.app', { resolve: ['a'] }, /solves conflicts of what lands by these rules: \["a"\]$/, ['["a"]']],
    [
      'agent-command',
      'projects.app',
      { forwardOutsiders: true },
      /passes comments of people outside/,
      ['forwardOutsiders'],
    ],
    [
      'agent-command',
      'projects.app',
      { fallback: ['work'] },
      /continues with other accounts .*: \["work"\]$/,
      ['fallback', '["work"]'],
    ],
    [
      'agent-command',
      'accounts',
      { work: { env: {} } },
      /^agents may be started with the accounts/,
      ['accounts', '{"work":{"env":{}}}'],
    ],
    [
      'agent-command',
      'projects.app.agentConfig',
      { zeta: 1, args: ['x'], command: 'c' },
      /^project app starts its agent with/,
      ['agent', '{"command":"c","args":["x"],"zeta":1}'],
    ],
    [
      'agent-command',
      'defaults.reviewer.agentConfig',
      { command: 'c' },
      /^every project starts its reviewer with/,
      ['reviewer', '{"command":"c"}'],
    ],
    [
      'agent-command',
      'defaults.worker.agentConfig',
      { command: 'c' },
      /its worker with/,
      ['worker', '{"command":"c"}'],
    ],
    [
      'agent-command',
      'projects.app.orchestrator.agentConfig',
      { command: 'c' },
      /its orchestrator with/,
      ['orchestrator', '{"command":"c"}'],
    ],
    [
      'agent-command',
      'projects.app.runtime.config',
      { command: 'c' },
      /its runtime with/,
      ['runtime', '{"command":"c"}'],
    ],
    [
      'listen',
      'webhooks.github',
      { secret: 'abc' },
      /^the dashboard takes webhooks of github signed with \{"secret":"\[3 characters\]"\}$/,
      ['webhooks.github', '{"secret":"abc"}'],
    ],
    [
      'listen',
      'dashboard',
      { token: '${TOKEN}' },
      /^the dashboard listens with \{"token":"\$\{TOKEN\}"\}$/,
      ['dashboard', '{"token":"${TOKEN}"}'],
    ],
    [
      'send',
      'projects.app',
      { repo: 'o/r' },
      /uses your token of the forge on a repository that no remote/,
      ['projects.app', '{"repo":"o/r"}'],
    ],
    [
      'send',
      'notifiers.slack',
      { url: 'u' },
      /^the notifier slack sends to \{"url":"u"\}$/,
      ['notifiers.slack', '{"url":"u"}'],
    ],
    [
      'send',
      'projects.app.tracker.config',
      { url: 'u' },
      /^project app reaches its tracker with/,
      ['projects.app.tracker.config', '{"url":"u"}'],
    ],
    [
      'place',
      'places.box',
      { host: 'h' },
      /^places\.box starts agents there: \{"host":"h"\}$/,
      ['places.box', '{"host":"h"}'],
    ],
    [
      'automatic',
      'projects.app.backlog',
      { label: 'x' },
      /^project app starts agents on issues by itself: /,
      ['projects.app.backlog', '{"label":"x"}'],
    ],
    [
      'automatic',
      'projects.app',
      { speculate: true },
      /on work that has not landed by itself/,
      ['projects.app', '{"speculate":true}'],
    ],
    [
      'automatic',
      'projects.app.schedules.a',
      { cron: 'x' },
      /at certain times by itself/,
      ['projects.app.schedules.a', '{"cron":"x"}'],
    ],
    [
      'automatic',
      'projects.app.triggers.a',
      { on: 'x' },
      /when something happens/,
      ['projects.app.triggers.a', '{"on":"x"}'],
    ],
    [
      'automatic',
      'reactions.ci-failed',
      { auto: true },
      /^every project merges or restarts agents by itself/,
      ['reactions.ci-failed', '{"auto":true}'],
    ],
    [
      'automatic',
      'projects.app.landing',
      { auto: true },
      /lands pull requests by itself/,
      ['projects.app.landing', '{"auto":true}'],
    ],
    [
      'automatic',
      'disk',
      { rescueDays: 1 },
      /^every project removes what archived sessions left beyond these limits/,
      ['disk', '{"rescueDays":1}'],
    ],
    [
      'outside',
      'projects.app',
      { path: 'x' },
      /is a directory outside of the configuration's own: \/real$/,
      ['path', '/real'],
    ],
    [
      'outside',
      'projects.app',
      { agentRulesFile: 'x' },
      /puts a file from outside of it into every prompt: \/real$/,
      ['agentRulesFile', '/real'],
    ],
    ['outside', 'projects.app', { worktreeDir: 'x' }, /puts its workspaces into \/real$/, ['worktreeDir', '/real']],
    [
      'environment' as never,
      'defaults',
      { x: '${HOME}' },
      /^defaults\.x takes a value of your environment: "\$\{HOME\}"$/,
      ['defaults.x', '{"x":"${HOME}"}'],
    ],
  ])('about %s at %s with %j', (kind, at, values, what, content) => {
    const path = at.split('.')
    const wording = describeFinding({ kind, at: path, values }, '/real')
    expect(wording).toMatchObject({ kind, at: path, content, what: expect.stringMatching(what) })
    expect(wording.project).toBe(path[0] === 'projects' ? 'app' : undefined)
  })

  it('about nothing in a configuration that says nothing', () => {
    expect([findConsent({}), findConsent(null), findConsent({ projects: { app: {} } })]).toEqual([[], [], []])
  })

  it('about a command wherever it is', () => {
    const found = findConsent({ projects: { app: { postCreate: ['x'] } }, defaults: { postCreate: null } })
    expect(found).toEqual([{ kind: 'postCreate', path: ['projects', 'app', 'postCreate'], value: ['x'] }])
  })
})

describe('a secret', () => {
  it.each<[string, boolean]>([
    ['notifiers.slack.webhookUrl', true],
    ['projects.token.path', false],
    ['projects.app.path', false],
    ['of.tomorrow.headers', false],
    ['of.tomorrow.headers.X', true],
    ['of.tomorrow.apiKey', true],
    ['of.tomorrow.private-key.x', true],
  ])('is at %s: %j', (path, expected) => expect(isSecretPath(path.split('.'))).toBe(expected))

  it('is hidden where it is written, and the name of a variable is not', () => {
    const written = (token: unknown) => hideWritten({ x: [{ token }] })
    const values: Array<[unknown, unknown]> = [
      ['abc', HIDDEN],
      ['${TOKEN}', '${TOKEN}'],
      [true, true],
      [null, null],
      [7, HIDDEN],
    ]
    for (const [token, shown] of values) expect(written(token)).toEqual({ x: [{ token: shown }] })
    expect(hideWritten({ name: 'abc' })).toEqual({ name: 'abc' })
  })
})

describe('one key is changed', () => {
  const content = { projects: { app: { path: 'p', list: ['a', 'b'] } }, port: 1 }
  it.each<[string, Array<string | number>, unknown, object | null]>([
    ['a new one', ['x'], 1, { ...content, x: 1 }],
    ['one that was there, in its position', ['port'], 2, { ...content, port: 2 }],
    ['one inside', ['projects', 'app', 'path'], 'q', { projects: { app: { path: 'q', list: ['a', 'b'] } }, port: 1 }],
    ['one in something new', ['a', 'b'], 1, { ...content, a: { b: 1 } }],
    ['one where there was a value', ['port', 'x'], 1, { ...content, port: { x: 1 } }],
    ['an item', ['projects', 'app', 'list', 1], 'c', { projects: { app: { path: 'p', list: ['a', 'c'] } }, port: 1 }],
    [
      'an item more',
      ['projects', 'app', 'list', 2],
      'c',
      { projects: { app: { path: 'p', list: ['a', 'b', 'c'] } }, port: 1 },
    ],
    ['an item behind the end', ['projects', 'app', 'list', 3], 'c', null],
    ['an item without a number', ['projects', 'app', 'list', 'x'], 'c', null],
    ['one less', ['port'], undefined, { projects: content.projects }],
    ['one less that was not there', ['x', 'y'], undefined, content],
    [
      'an item less',
      ['projects', 'app', 'list', 0],
      undefined,
      { projects: { app: { path: 'p', list: ['b'] } }, port: 1 },
    ],
    ['a project less, and projects stay', ['projects', 'app'], undefined, { projects: {}, port: 1 }],
  ])('%s', (_what, path, value, expected) => {
    const changed = withChange(content, { path, value })
    expect(changed).toEqual(expected)
    if (expected && path[0] === 'port') expect(Object.keys(changed!)).toEqual(Object.keys(expected))
  })

  it('and nothing empty is left behind', () => {
    expect(withChange({ a: { b: { c: 1 } }, d: 1 }, { path: ['a', 'b', 'c'] })).toEqual({ d: 1 })
    expect(withChange({ a: { b: [1] } }, { path: ['a', 'b', 0] })).toEqual({})
    expect(withChange({ a: { b: { c: 1 }, d: 1 } }, { path: ['a', 'b', 'c'] })).toEqual({ a: { d: 1 } })
  })
})
