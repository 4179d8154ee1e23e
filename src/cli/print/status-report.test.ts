import { describe, expect, it } from 'vitest'
import { sampleSession } from '../../../test/support/sample-session.ts'
import { SESSION_STATUSES } from '../../contract/status.ts'
import { displayWidth } from './plain-text.ts'
import { sessionColumns } from './session-table.ts'
import { renderStatus, type StatusReportOptions } from './status-report.ts'
import { createStyle } from './style.ts'
import { renderTable } from './table.ts'

const options: StatusReportOptions = {
  style: createStyle(false),
  width: 100,
  now: new Date('2026-03-04T12:00:00.000Z'),
  showProject: false,
  height: Number.POSITIVE_INFINITY,
}

const fleet = [
  sampleSession({ id: 'app-1', status: 'killed', activity: 'exited' }),
  sampleSession({ id: 'app-2', status: 'working' }),
  sampleSession({ id: 'app-3', status: 'stuck', activity: 'idle' }),
  sampleSession({ id: 'app-4', status: 'needs_input', activity: 'waiting_input' }),
  sampleSession({
    id: 'app-5',
    status: 'mergeable',
    pr: { url: 'https://github.com/acme/app/pull/7' },
    agentInfo: {
      summary: 'Add the login form',
      agentSessionId: null,
      cost: { inputTokens: 1, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0, estimatedCostUsd: 1.5 },
    },
  }),
  sampleSession({ id: 'app-6', status: 'pr_open', activity: 'waiting_input' }),
]

describe('renderStatus', () => {
  it('puts what needs a person first (S0.86)', () => {
    const order = renderStatus(fleet, options)
      .map((line) => /^ {2}(app-\d)/.exec(line)?.[1] ?? /^(\w.*) \(/.exec(line)?.[1])
      .filter(Boolean)
    expect(order).toEqual([
      'Needs you',
      'app-4',
      'app-3',
      'app-6',
      'Ready to merge',
      'app-5',
      'Working',
      'app-2',
      'Ended',
      'app-1',
    ])
  })

  it('does not count an agent that waits for its limit as one that needs a person', () => {
    const blocked = (limitResetsAt?: Date) => {
      const agentInfo = { summary: null, agentSessionId: null, blockedBy: 'limit reached', limitResetsAt }
      return renderStatus([sampleSession({ status: 'working', activity: 'blocked', agentInfo })], options).join('\n')
    }
    expect(blocked()).toContain('Needs you (')
    expect(blocked(new Date())).not.toContain('Needs you (')
  })

  it('counts a finished turn without a pull request as waiting for a person, as the board does', () => {
    const at = { status: 'working', activity: 'ready' } as const
    const groupOf = (more: Parameters<typeof sampleSession>[0]) =>
      /^(\w.*) \(/m.exec(renderStatus([sampleSession({ ...at, ...more })], options).join('\n'))?.[1]
    expect(groupOf({})).toBe('Needs you')
    expect(groupOf({ activity: 'active' })).toBe('Working')
    expect(groupOf({ status: 'merged' })).toBe('Ended')
    expect(groupOf({ metadata: { role: 'orchestrator' } })).toBe('Working')
    expect(groupOf({ metadata: { messagesOnTheWay: 'm-1' } })).toBe('Working')
  })

  it('ends with counts and cost', () => {
    expect(renderStatus(fleet, options).at(-1)).toBe(
      '6 sessions: 3 need you, 1 ready to merge, 1 working, 1 ended; $1.50 so far',
    )
  })

  it.each([60, 80, 120, 200])('fits %i columns', (width) => {
    for (const line of renderStatus(fleet, { ...options, width })) expect(displayWidth(line)).toBeLessThanOrEqual(width)
  })

  it('fits the height: the urgent ones stay', () => {
    const lines = renderStatus(fleet, { ...options, height: 8 })
    expect(lines.length).toBeLessThanOrEqual(8)
    expect(lines.join('\n')).toContain('app-4')
    expect(lines.join('\n')).toContain('more lines')
  })

  it('has a place for every status', () => {
    for (const status of SESSION_STATUSES) {
      expect(renderStatus([sampleSession({ status })], options).join('\n')).toContain(status)
    }
  })

  it('says how to start when there is nothing', () => {
    expect(renderStatus([], options)).toEqual(['No sessions. Start one with: ao spawn <issue>'])
  })
})

describe('sessionColumns', () => {
  const list = (width: number) =>
    renderTable(sessionColumns(createStyle(false), { showProject: false, now: options.now }), fleet, { width }).join(
      '\n',
    )

  it('S0.56 S0.57 shows id, status, activity, branch, issue, pull request and summary', () => {
    const line = list(Number.POSITIVE_INFINITY)
      .split('\n')
      .find((one) => one.startsWith('app-5'))
    expect(line?.split(/ {2,}/)).toEqual([
      'app-5',
      'mergeable',
      'active',
      'feat/42',
      '42',
      'https://github.com/acme/app/pull/7',
      'Add the login form',
    ])
  })

  it('S0.86 marks stuck sessions, also without colours', () => {
    expect(list(120)).toMatch(/^app-3 +! stuck/m)
    expect(list(120)).toMatch(/^app-2 +working/m)
  })

  it('shows the number of a pull request where its URL has no room', () => {
    expect(list(80)).toContain('#7')
    expect(list(80)).not.toContain('https://')
  })

  it('S0.9 shows clean names only', () => {
    expect(list(200)).not.toContain('a3b4c5d6e7f8')
  })
})
