import { describe, expect, it } from 'vitest'
import type { AccountLimit, AgentAccount } from '../../contract/account.ts'
import type { OrchestratorConfig, ProjectConfig } from '../../contract/config.ts'
import { readRecord } from '../../contract/record.ts'
import { resolveLaunch } from '../session/plan-launch.ts'
import { accountsFor, chooseFallback, withLimit } from './choose-fallback.ts'

const NOW = Date.parse('2026-11-16T12:00:00Z')
const at = (minutes: number) => new Date(NOW + minutes * 60_000).toISOString()
const first: AgentAccount = { agent: 'claude-code', account: null }
const second: AgentAccount = { agent: 'claude-code', account: 'work2' }
const other: AgentAccount = { agent: 'codex', account: 'codex' }
const limited = (account: AgentAccount, minutes: number, why?: string): AccountLimit => ({
  ...account,
  until: at(minutes),
  why,
})

describe('when a limit stops an agent, its session', () => {
  it.each<[string, AgentAccount, number, AccountLimit[], AgentAccount | null]>([
    ['continues with the first fallback', first, 180, [], second],
    ['continues with the next one while that is limited too', first, 180, [limited(second, 60)], other],
    [
      'continues with the next one when that failed to start',
      first,
      180,
      [limited(second, 180, 'no such file')],
      other,
    ],
    ['waits when all are limited', first, 180, [limited(second, 60), limited(other, 5)], null],
    ['continues with one whose limit has been reset', first, 180, [limited(second, -1), limited(other, 5)], second],
    ['goes back to the account it began with once that is free', second, 180, [limited(first, -1)], first],
    ['does not while that is limited', second, 180, [limited(first, 30)], other],
    ['waits for a limit that is over soon', first, 9, [], null],
    ['never continues with the account it has', other, 60, [limited(first, 60), limited(second, 60)], null],
    [
      'is not kept from an account by the limit of another agent',
      first,
      60,
      [limited({ ...other, account: 'work2' }, 60)],
      second,
    ],
  ])('%s', (_what, present, minutes, limits, expected) => {
    const accounts = [first, second, other]
    expect(chooseFallback({ accounts, present, resetsAt: NOW + minutes * 60_000, limits, now: NOW })).toEqual(expected)
  })

  it('waits where no fallback is named', () => {
    expect(chooseFallback({ accounts: [], present: first, resetsAt: NOW + 1e8, limits: [], now: NOW })).toBeNull()
  })
})

it('the last word about an account counts, and what is over is forgotten', () => {
  const existing = [limited(first, 10), limited(second, -1), limited(other, 20)]
  expect(withLimit(existing, limited(first, 60), NOW)).toEqual([limited(other, 20), limited(first, 60)])
})

describe('an account', () => {
  const config = {
    defaults: { runtime: 'tmux', agent: 'claude-code', workspace: 'worktree', fallback: ['work2', 'codex'] },
    accounts: {
      work2: { agentConfig: { env: { CLAUDE_CONFIG_DIR: '/second' } } },
      codex: { agent: 'codex', agentConfig: { model: 'gpt' } },
    },
  } as unknown as OrchestratorConfig
  const project = {
    agentConfig: {
      model: 'opus',
      permissions: 'auto-edit',
      args: ['--x'],
      env: { A: '1', CLAUDE_CONFIG_DIR: '/first' },
    },
  } as unknown as ProjectConfig

  it('of the same agent adds its settings to those of the project', () => {
    expect(resolveLaunch(config, project, 'worker', { account: 'work2' })).toMatchObject({
      agent: 'claude-code',
      model: 'opus',
      permissions: 'auto-edit',
      agentConfig: { args: ['--x'], env: { A: '1', CLAUDE_CONFIG_DIR: '/second' } },
    })
  })

  it('of another agent takes over only how often it asks', () => {
    const { agentConfig, agent } = resolveLaunch(config, project, 'worker', { account: 'codex' })
    expect({ agent, agentConfig }).toEqual({ agent: 'codex', agentConfig: { permissions: 'auto-edit', model: 'gpt' } })
  })

  it('follows the one that the session began with, also when that was another agent', () => {
    const record = readRecord({ agent: 'codex', account: 'codex', firstAgent: 'gemini' })
    expect(accountsFor(config, project, record)).toEqual([{ agent: 'gemini', account: null }, second, other])
    expect(accountsFor(config, { ...project, fallback: [] }, record)).toEqual([])
  })
})
