// Records what happened to a pull request in its session's record: the same facts the wrappers write.
import type { PullFacts } from '../../contract/pull.ts'
import { pullUrls, recordedPulls } from '../../core/status/recorded-facts.ts'
import { STARTED } from '../../core/status/status-of-record.ts'
import type { SessionStore } from './session-store.ts'

export interface PullNote {
  sessionId: string
  url: string
  status: 'pr_open' | 'merged'
}

export async function notePullStatus(store: Pick<SessionStore, 'read' | 'update'>, note: PullNote): Promise<void> {
  const record = store.read(note.sessionId)?.record
  if (record === undefined) return
  const { sessionId, url } = note
  const named = pullUrls(record)
  const owns = named.includes(url)
  // Already known, or somebody else's: the status may have moved on since and must not be reset.
  if (note.status === 'pr_open' ? owns : !owns && named.length > 0) return
  const evidence = [`${url} was ${note.status === 'merged' ? 'merged' : 'opened'}`]
  if (note.status === 'pr_open') {
    // The forge's word on the ones before is kept until the next tick has asked about all of them.
    const change = { pr: url, ...(named.length > 0 && { prs: [...named, url] }), ...STARTED }
    return void (await store.update(sessionId, change, [], evidence))
  }
  const unread: PullFacts = { url, state: 'merged', ci: 'none', review: 'none', mergeable: null }
  const before = recordedPulls(record)
  const all = before.some((one) => one.url === url) ? before : [...before, unread]
  const merged = all.map((one) => (one.url === url ? { ...one, state: 'merged' as const } : one))
  const stateOf = (other: string) => merged.find((one) => one.url === other)?.state ?? 'open'
  const isOpen = named.some((other) => other !== url && stateOf(other) === 'open')
  const otherPulls = merged.filter((one) => one.url !== record.prFacts?.url)
  const facts = {
    prFacts: merged.find((one) => one.url === record.prFacts?.url),
    otherPulls: otherPulls.length > 0 ? otherPulls : undefined,
  }
  // An open one keeps the session open; what became of one that was never read, the next tick finds out.
  const change = isOpen ? facts : { pr: url, endedAs: 'merged' as const }
  await store.update(sessionId, change, [], evidence)
}
