import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import type { PermissionDecision, PermissionRequest } from '../../contract/permission.ts'
import { readOrMakeToken } from '../../http/access-token.ts'
import { ANSWER_PATH, readSigned } from '../../http/answer-link.ts'
import { answerActions, type LinkContext } from './answer-actions.ts'

const directory = mkdtempSync(join(tmpdir(), 'ao-links-'))
afterAll(() => rmSync(directory, { recursive: true, force: true }))

const NOW = Date.UTC(2026, 0, 1)
const ASKED = '2026-01-01T00:00:00.000Z'
const DAY = 24 * 3_600_000
const context: LinkContext = {
  config: { dashboard: { url: 'https://ao.test/' } },
  page: 'http://localhost:3000/r/abcdef',
  keyFile: join(directory, 'links'),
  now: NOW,
}

function asks(decisions: PermissionDecision[], more: Partial<PermissionRequest> = {}): PermissionRequest {
  const options = decisions.map((decision) => ({ optionId: decision, name: decision, decision }))
  return { requestId: 'perm-1', title: 'rm x', kind: 'execute', options, askedAt: ASKED, expiresAt: null, ...more }
}

const ALL: PermissionDecision[] = ['allow-always', 'allow-once', 'reject-once', 'reject-always']

describe('what can be done from a notification', () => {
  it('is to allow once or to deny, never always', () => {
    const actions = answerActions(context, 'app-1', [asks(ALL)])
    expect(actions.map(({ label }) => label)).toEqual(['Allow once', 'Deny'])
    const base = `https://ao.test/r/abcdef${ANSWER_PATH}`
    const key = readOrMakeToken(context.keyFile)
    expect(actions.map(({ url }) => readSigned(key, url.slice(base.length)))).toEqual(
      (['allow-once', 'reject-once'] as const).map((decision) => ({
        sessionId: 'app-1',
        requestId: 'perm-1',
        askedAt: ASKED,
        decision,
        until: NOW + DAY,
      })),
    )
  })

  it('is possible only until the agent stops waiting', () => {
    const [action] = answerActions(context, 'app-1', [asks(ALL, { expiresAt: new Date(NOW + 60_000).toISOString() })])
    const signed = action!.url.split(ANSWER_PATH)[1]!
    expect(readSigned(readOrMakeToken(context.keyFile), signed)?.until).toBe(NOW + 60_000)
  })

  it.each<[string, Partial<LinkContext>, PermissionRequest[]]>([
    ['without an address for phones', { config: { dashboard: {} } }, [asks(ALL)]],
    ['while nothing serves the page', { page: undefined }, [asks(ALL)]],
    ['when nothing is asked', {}, []],
    ['when several things are asked', {}, [asks(ALL), asks(ALL, { requestId: 'perm-2' })]],
    ['for a dialog on a screen, which may come again for something else', {}, [asks(ALL, { kind: 'dialog' })]],
    ['when only lasting answers are offered', {}, [asks(['allow-always', 'reject-always'])]],
  ])('is nothing %s', (_when, other, pending) => {
    expect(answerActions({ ...context, ...other }, 'app-1', pending)).toEqual([])
  })
})
