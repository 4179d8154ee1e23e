// `ao why`: the chain of facts behind a session's status and the last reaction, in words.

import type { SessionEvent } from '../../../contract/events.ts'
import type { ReactionMemory } from '../../../contract/reactions.ts'
import { recordOf } from '../../../contract/record.ts'
import type { UnknownAgent } from '../../../contract/session.ts'
import { OWN_SESSION } from '../../../core/boundary/rights.ts'
import { unknownHeadline } from '../../../core/place/unreachable-places.ts'
import { describeEvent } from '../../../core/status/describe-event.ts'
import { explainReactions, explainStatus } from '../../../core/status/explain-status.ts'
import { recordedPrFacts } from '../../../core/status/recorded-facts.ts'
import { forgeNotices } from '../../../lifecycle/loop/forge-notices.ts'
import { readReactionMemory } from '../../../lifecycle/tick/reaction-memory.ts'
import { type AnySession, requireAnySession } from '../../../manager/observe/require-session.ts'
import { READS } from '../../../mcp/command-tool.ts'
import { lastOf, lastOnes } from '../../../store/session/history.ts'
import { defineCommand, JSON_OPTION } from '../../command.ts'
import { statusWord } from '../../print/attention.ts'
import type { Io } from '../../print/io.ts'
import { localTime } from '../../print/local-time.ts'
import { toOneLine } from '../../print/plain-text.ts'
import { type Ao, openAo } from '../open-ao.ts'

const CHAIN = 6

export const whyCommand = defineCommand({
  name: 'why',
  inside: OWN_SESSION,
  about: 'Explain the status of a session and the reactions to it',
  args: { session: { about: 'Session id', required: true, completes: 'session' } },
  options: { json: JSON_OPTION },
  json: '{ sessionId, status, activity, unknown?: { place, why, since, unreachable }, facts: [text], chain: [event], reactions: [{ key, state, … }], lastReaction }',
  tool: {
    name: 'explain_status',
    title: 'Explain a status',
    description: 'Why a session has its status: the facts, and what ao has done about it.',
    hints: READS,
    input: { session: {} },
    output: { sessionId: 'text', status: 'text' },
  },
  async run({ args, options }, io) {
    const ao = await openAo(io)
    const found = await requireAnySession(ao.context, args.session)
    const memory = readReactionMemory(found.store.paths.stateDir(args.session))
    const why = explain(found, memory, io.clock.now())
    if (found.archivedAt === null) why.facts.push(...(await forgeNotices(ao, found.session.projectId)))
    why.facts.push(
      ...formerPlaceFact(ao, found),
      ...(await describePlace(ao, found)),
      ...(await describeGates(ao, found, io)),
    )
    if (options.json) return void io.json(why)
    printWhy({ ...why, status: statusWord(found.session) }, io)
  },
})

/** Its place was taken out of the configuration, or renamed there. */
function formerPlaceFact({ config }: Ao, { session }: AnySession): string[] {
  const { place } = recordOf(session)
  if (place === undefined || Object.hasOwn(config.places ?? {}, place)) return []
  const ways = `put it back, move the session with: ao session move ${session.id} --here, or end it`
  return [`the place ${place} is no longer in the configuration; ${ways}`]
}

/** Where it runs and how the line to it is, for a session that is not on this machine. */
async function describePlace({ registry }: Ao, { session }: AnySession): Promise<string[]> {
  const handle = session.runtimeHandle
  if (!handle) return []
  // One that cannot be loaded has its own line.
  const runtime = await registry.find('runtime', handle.runtimeName).catch(() => null)
  return runtime?.elsewhere?.describe(handle) ?? []
}

/** What ao itself would check before it calls the pull request mergeable, and cannot. */
async function describeGates(ao: Ao, { session }: AnySession, { env }: Io): Promise<string[]> {
  const record = recordOf(session)
  const { prHead: head, prState } = record
  const project = ao.config.projects[session.projectId]
  if (head === undefined || prState !== 'open' || !project?.gates) return []
  const [{ scmOf }, { heldGates }] = await Promise.all([
    import('../../../manager/context.ts'),
    import('../../../manager/observe/gates.ts'),
  ])
  return heldGates({ ...ao, env }, project, {
    scm: await scmOf(ao, project),
    head,
    base: recordedPrFacts(record)?.base,
  })
}

interface Why {
  sessionId: string
  status: string
  activity: string | null
  /** Why the activity is unknown, of an agent in a place. */
  unknown?: UnknownAgent | undefined
  /** What holds now. */
  facts: string[]
  /** The last changes of status, oldest first. */
  chain: Array<Extract<SessionEvent, { type: 'status.changed' }>>
  /** What is remembered about each reaction. */
  reactions: string[]
  lastReaction: SessionEvent | null
}

function explain(found: AnySession, memory: ReactionMemory, now: Date): Why {
  const { session, archivedAt, store } = found
  return {
    sessionId: session.id,
    status: session.status,
    activity: session.activity,
    unknown: session.agentInfo?.unknown,
    facts: explainStatus(found, now),
    chain: lastOnes(store.paths, session.id, 'status.changed', CHAIN),
    reactions: archivedAt === null ? explainReactions(memory, now) : [],
    lastReaction: lastOf(store.paths, session.id, 'reaction'),
  }
}

function printWhy(why: Why, io: Io): void {
  const { style } = io
  const doing = why.activity ?? (why.unknown && unknownHeadline(why.unknown, io.clock.now()))
  io.print(`${style.bold(why.sessionId)} is ${style.bold(why.status)}${doing ? ` (${doing})` : ''}, because:`)
  for (const fact of why.facts) io.print(`  - ${toOneLine(fact)}`)
  if (why.chain.length > 0) io.print('\nHow it came to this:')
  for (const { at, from, to, evidence } of why.chain) {
    io.print(`  ${style.dim(localTime(at))}  ${from ?? 'new'} -> ${to}`)
    for (const line of evidence) io.print(`      ${toOneLine(line)}`)
  }
  if (why.reactions.length > 0) io.print('\nReactions:')
  for (const line of why.reactions) io.print(`  - ${line}`)
  if (why.lastReaction) io.print(`\nThe last reaction: ${toOneLine(describeEvent(why.lastReaction))}`)
}
