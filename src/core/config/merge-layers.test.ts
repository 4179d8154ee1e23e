import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Content } from './key-path.ts'
import { mergeLayers } from './merge-layers.ts'

const app = { app: { path: '.' } }

type Row = [what: string, user: Content, repository: Content, merged: Content, overruled?: string[]]

const ROWS: Row[] = [
  ['a key of the user where the repository says nothing', { port: 4000 }, {}, { port: 4000 }],
  ["the repository's number", { port: 4000 }, { port: 5000 }, { port: 5000 }],
  [
    'single defaults',
    { defaults: { agent: 'codex' } },
    { defaults: { runtime: 'process' } },
    { defaults: { agent: 'codex', runtime: 'process' } },
  ],
  [
    "the repository's list instead of the user's",
    { defaults: { notifiers: ['a', 'b'] } },
    { defaults: { notifiers: ['c'] } },
    { defaults: { notifiers: ['c'] } },
  ],
  ["no project of the user's file", { projects: { mine: { path: '~/mine' } } }, { projects: app }, { projects: app }],
  [
    'all that either denies',
    { defaults: { environment: { deny: ['A'] } } },
    { defaults: { environment: { deny: ['B'] } } },
    { defaults: { environment: { deny: ['A', 'B'] } } },
  ],
  [
    'fields of a reaction',
    { reactions: { 'ci-failed': { auto: false } } },
    { reactions: { 'ci-failed': { retries: 5 } } },
    { reactions: { 'ci-failed': { auto: false, retries: 5 } } },
  ],
  [
    'harmless options of a plugin as a whole',
    { plugins: { scm: { name: 'github', config: { mergeMethod: 'squash' } } } },
    { plugins: { scm: { name: 'gitlab' } } },
    { plugins: { scm: { name: 'gitlab' } } },
  ],
  [
    'plugins of both',
    { plugins: { external: [{ path: '/u' }] } },
    { plugins: { external: [{ path: './r' }] } },
    { plugins: { external: [{ path: '/u' }, { path: './r' }] } },
  ],
  [
    "the user's address of the dashboard",
    { dashboard: { host: '127.0.0.1' } },
    { dashboard: { host: '0.0.0.0' } },
    { dashboard: { host: '127.0.0.1' } },
    ['dashboard.host'],
  ],
  [
    "the user's notifier of the same name",
    { notifiers: { chat: { plugin: 'slack', webhookUrl: 'u' } } },
    { notifiers: { chat: { plugin: 'webhook', url: 'r' }, more: { plugin: 'desktop' } } },
    { notifiers: { chat: { plugin: 'slack', webhookUrl: 'u' }, more: { plugin: 'desktop' } } },
    ['notifiers.chat'],
  ],
  [
    "the user's secret of a webhook",
    { webhooks: { github: { secret: 'u' } } },
    { webhooks: { github: { secret: 'r' } } },
    { webhooks: { github: { secret: 'u' } } },
    ['webhooks.github'],
  ],
  [
    "the user's server of a forge, also against harmless options",
    { plugins: { scm: { name: 'github', config: { host: 'ghe' } } } },
    { plugins: { scm: { name: 'github', config: { mergeMethod: 'squash' } } } },
    { plugins: { scm: { name: 'github', config: { host: 'ghe' } } } },
    ['plugins.scm'],
  ],
  [
    "the user's permissions against an agent that never asks",
    { defaults: { worker: { agentConfig: { permissions: 'suggest' } } } },
    { defaults: { worker: { agentConfig: { permissions: 'skip', model: 'm' } } } },
    { defaults: { worker: { agentConfig: { permissions: 'suggest', model: 'm' } } } },
    ['defaults.worker.agentConfig.permissions'],
  ],
  [
    'stricter permissions of the repository',
    { defaults: { worker: { agentConfig: { permissions: 'auto-edit' } } } },
    { defaults: { worker: { agentConfig: { permissions: 'suggest' } } } },
    { defaults: { worker: { agentConfig: { permissions: 'suggest' } } } },
  ],
  [
    "projects within the user's permissions",
    { defaults: { worker: { agentConfig: { permissions: 'default' } } } },
    {
      projects: {
        app: {
          path: '.',
          agentConfig: { permissions: 'permissionless' },
          worker: { agentConfig: { permissions: 'auto-edit' } },
        },
      },
    },
    {
      defaults: { worker: { agentConfig: { permissions: 'default' } } },
      projects: {
        app: {
          path: '.',
          agentConfig: { permissions: 'default' },
          worker: { agentConfig: { permissions: 'default' } },
        },
      },
    },
    ['projects.app.agentConfig.permissions', 'projects.app.worker.agentConfig.permissions'],
  ],
  [
    "projects within the user's variables",
    { defaults: { environment: { allow: ['NPM_*', 'CI'] } } },
    { projects: { app: { path: '.', environment: { allow: ['NPM_TOKEN', 'CI', 'AWS_SECRET', '*'] } } } },
    {
      defaults: { environment: { allow: ['NPM_*', 'CI'] } },
      projects: { app: { path: '.', environment: { allow: ['NPM_TOKEN', 'CI'] } } },
    },
    ['projects.app.environment.allow'],
  ],
]

describe('the user’s file below that of a repository', () => {
  it.each(ROWS)('gives %s', (_what, user, repository, merged, overruled = []) => {
    const result = mergeLayers(user, repository)
    expect(result.content).toEqual(merged)
    expect(result.overruled.map((path) => path.join('.'))).toEqual(overruled)
  })

  it('asks consent for what the repository contributes, and only for that', () => {
    const user = { dashboard: { host: '0.0.0.0', token: 'u' }, plugins: { external: [{ path: '/u' }] } }
    const repository = { dashboard: { host: '1.2.3.4', allowedHosts: ['r'] }, plugins: { external: [{ path: './r' }] } }
    expect(mergeLayers(user, repository).asks).toEqual({
      dashboard: { allowedHosts: ['r'] },
      plugins: { external: [{ path: './r' }] },
    })
  })

  it('never gives a repository more than consent to its part would, whatever both say', () => {
    const value = fc.oneof(
      fc.constantFrom('skip', 'suggest', '0.0.0.0', '${SECRET}', 'x'),
      fc.integer(),
      fc.array(fc.string()),
    )
    const key = fc.constantFrom(
      'dashboard',
      'host',
      'defaults',
      'worker',
      'agentConfig',
      'permissions',
      'plugins',
      'scm',
      'notifiers',
      'port',
      '__proto__',
    )
    const { content } = fc.letrec((tie) => ({
      content: fc.dictionary(key, fc.oneof({ maxDepth: 4 }, value, tie('content')), { maxKeys: 4 }),
    }))
    fc.assert(
      fc.property(content, content, (user, repository) => {
        const merged = mergeLayers(user as Content, repository as Content)
        // Every value is somebody's: without the repository it is the user's, without the user the repository's.
        expect(mergeLayers(user as Content, {}).asks).toEqual({})
        expect(
          Object.keys(merged.content).every(
            (one) => Object.hasOwn(user as Content, one) || Object.hasOwn(repository as Content, one),
          ),
        ).toBe(true)
        expect(({} as Record<string, unknown>).host).toBeUndefined()
      }),
    )
  })
})
