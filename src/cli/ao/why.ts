// `ao why`: the chain of facts behind a session's status and the last reaction, in words.
import type { SessionEvent } from '../../contract/events.ts'
import type { ReactionMemory } from '../../contract/reactions.ts'
import { readReactionMemory } from '../../lifecycle/reaction-memory.ts'
import { defineCommand, JSON_OPTION } from '../command.ts'
import type { Io } from '../io.ts'
import { describeEvent } from '../print/describe-event.ts'
import { formatAge } from '../print/format-age.ts'
import { toOneLine } from '../print/plain-text.ts'
import { type AnySession, findAnySession } from './find-any-session.ts'
import { openAo } from './open-ao.ts'

const CHAIN = 6

export const whyCommand = defineCommand({
  name: 'why',
  about: 'Explain why a session is in its status, and what was done about it',
  args: { session: { about: 'Session id', required: true, completes: 'session' } },
  options: { json: JSON_OPTION },
  json: '{ sessionId, status, activity, facts: [text], chain: [event], reactions: [{ key, state, … }], lastReaction }',
  async run({ args, options }, io) {
    const ao = await openAo(io)
    const found = await findAnySession(ao, args.session, io)
    const { events } = found.store.readHistory(args.session)
    const memory = readReactionMemory(found.store.paths.stateDir(args.session))
    const why = explain(found, events, memory, io.clock.now())
    if (options.json) return void io.json(why)
    printWhy(why, io)
  },
})

interface Why {
  sessionId: string
  status: string
  activity: string | null
  /** What holds now. */
  facts: string[]
  /** The last changes of status, oldest first. */
  chain: Array<Extract<SessionEvent, { type: 'status.changed' }>>
  /** What is remembered about each reaction. */
  reactions: string[]
  lastReaction: SessionEvent | null
}

function explain(found: AnySession, events: SessionEvent[], memory: ReactionMemory, now: Date): Why {
  const { session, archivedAt } = found
  return {
    sessionId: session.id,
    status: session.status,
    activity: session.activity,
    facts: factsOf(found, now),
    chain: events.filter((one) => one.type === 'status.changed').slice(-CHAIN),
    reactions: archivedAt === null ? reactionsOf(memory, now) : [],
    lastReaction: events.findLast((one) => one.type === 'reaction') ?? null,
  }
}

function factsOf({ session, archivedAt }: AnySession, now: Date): string[] {
  const { metadata, activity, lastActivityAt, runtimeHandle } = session
  const facts: string[] = []
  if (archivedAt) facts.push(`it was archived ${formatAge(archivedAt, now)} ago`)
  if (metadata.operation) facts.push(`a ${metadata.operation} is under way, or was interrupted`)
  if (runtimeHandle)
    facts.push(`it runs in ${runtimeHandle.runtimeName}${activity === 'exited' ? ', where it has ended' : ''}`)
  if (activity && activity !== 'exited')
    facts.push(`its agent is ${activity}, last active ${formatAge(lastActivityAt, now)} ago`)
  if (session.status !== metadata.status && archivedAt === null)
    facts.push(`its record says ${metadata.status}; the facts of this moment say ${session.status}`)
  if (!session.pr) return [...facts, 'it has no pull request']
  const { prState = 'open', ci = 'not known', review = 'not known' } = metadata
  return [...facts, `its pull request ${session.pr.url} is ${prState}; CI ${ci}, review ${review}`]
}

function reactionsOf(memory: ReactionMemory, now: Date): string[] {
  return Object.entries(memory).flatMap(([key, record]) => {
    if (!record) return []
    const ago = formatAge(new Date(record.lastAt), now)
    const states = {
      done: `done ${ago} ago`,
      intended: `decided ${ago} ago, not confirmed yet`,
      failed: `failed; the next try ${record.retryAt > now.getTime() ? `in ${formatAge(now, new Date(record.retryAt))}` : 'is due'}`,
    }
    const escalated = record.escalated ? '; a human was told' : ''
    return [`${key}: ${states[record.state]}, attempt ${record.attempts}${escalated}`]
  })
}

function printWhy(why: Why, io: Io): void {
  const { style } = io
  io.print(
    `${style.bold(why.sessionId)} is ${style.bold(why.status)}${why.activity ? ` (${why.activity})` : ''}, because:`,
  )
  for (const fact of why.facts) io.print(`  - ${toOneLine(fact)}`)
  if (why.chain.length > 0) io.print('\nHow it came to this:')
  for (const { at, from, to, evidence } of why.chain) {
    io.print(`  ${style.dim(at.replace('T', ' ').slice(0, 19))}  ${from ?? 'new'} -> ${to}`)
    for (const line of evidence) io.print(`      ${toOneLine(line)}`)
  }
  if (why.reactions.length > 0) io.print('\nReactions:')
  for (const line of why.reactions) io.print(`  - ${line}`)
  if (why.lastReaction) io.print(`\nThe last reaction: ${toOneLine(describeEvent(why.lastReaction))}`)
}
