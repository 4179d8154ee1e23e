// What waits for what, and what stands on whose branch, from the records of sessions. Pure.
import { type Blocker, isWaiting, writeBlocker } from '../../contract/blocker.ts'
import { recordOf } from '../../contract/record.ts'
import type { Session } from '../../contract/session.ts'
import { isTerminalSession } from '../../contract/status.ts'
import { titleOf } from '../status/describe-session.ts'
import type { StackNode } from './draw-stack.ts'
import { blockerName } from './read-blockers.ts'

/** Those that need something or are needed, in an order in which everything comes after what it needs. */
export function stackOf(all: readonly Session[]): StackNode[] {
  const sessions = all.filter(({ status }) => status === 'merged' || !isTerminalSession({ status, activity: null }))
  const nodes = new Map<string, StackNode>()
  const ofSession = (session: Session): StackNode => {
    const { waitsSince, heldBack, stack } = recordOf(session)
    const waits = isWaiting(recordOf(session)) ? (waitsSince?.toISOString() ?? null) : null
    const { id, projectId, status } = session
    return {
      name: id,
      session: { id, projectId, status, title: titleOf(session), pr: session.pr?.number ?? null },
      waitsSince: waits,
      heldBack: heldBack ?? stack?.why ?? null,
      needs: [],
      base: null,
      next: null,
    }
  }
  const nodeOf = (key: string, make: () => StackNode): StackNode => {
    const node = nodes.get(key) ?? make()
    nodes.set(key, node)
    return node
  }
  for (const session of sessions) {
    // It needs nothing by now; it is shown where others still need it.
    if (session.status === 'merged') continue
    const { blockers = [], stack } = recordOf(session)
    const under = sessions.find((one) => one.id === stack?.on && one.projectId === session.projectId)
    const needed = isWaiting(recordOf(session)) || under ? blockers : blockers.filter((one) => isOpen(one, sessions))
    if (needed.length === 0 && !under) continue
    const node = nodeOf(`session:${session.id}`, () => ofSession(session))
    const parents = [
      ...needed.flatMap((blocker) => parentsOf(blocker, sessions, session.projectId)),
      ...(under ? [{ key: `session:${under.id}`, session: under, name: under.id }] : []),
    ]
    for (const parent of parents) {
      nodeOf(parent.key, () => (parent.session ? ofSession(parent.session) : outside(parent.name)))
      if (!node.needs.includes(parent.name)) node.needs.push(parent.name)
    }
    node.base = under?.id ?? null
  }
  const ordered = inOrder([...nodes.values()])
  const waiting = new Set(ordered.flatMap(({ name, waitsSince }) => (waitsSince === null ? [] : [name])))
  for (const node of ordered)
    if (waiting.has(node.name) && !node.heldBack && !node.needs.some((one) => waiting.has(one))) node.next = node.needs
  return ordered
}

interface Parent {
  key: string
  session: Session | null
  name: string
}

/** An issue stands for the sessions that work on it, if there are any. */
function parentsOf(blocker: Blocker, sessions: readonly Session[], project: string): Parent[] {
  const found = sessions.filter((one) => isMeant(blocker, one))
  if (found.length > 0) return found.map((session) => ({ key: `session:${session.id}`, session, name: session.id }))
  return [{ key: writeBlocker(blocker), session: null, name: blockerName(blocker, project) }]
}

function isMeant(blocker: Blocker, { id, projectId, issueId, pr }: Session): boolean {
  if (blocker.kind === 'session') return blocker.id === id
  if (blocker.project !== projectId) return false
  return blocker.kind === 'issue' ? blocker.id === issueId : blocker.number === pr?.number
}

function isOpen(blocker: Blocker, sessions: readonly Session[]): boolean {
  return sessions.some((one) => isMeant(blocker, one))
}

function outside(name: string): StackNode {
  return { name, session: null, waitsSince: null, heldBack: null, needs: [], base: null, next: null }
}

function inOrder(nodes: readonly StackNode[]): StackNode[] {
  const byName = new Map(nodes.map((node) => [node.name, node]))
  const ordered = new Set<StackNode>()
  const visit = (node: StackNode, path: ReadonlySet<StackNode>): void => {
    if (ordered.has(node) || path.has(node)) return
    for (const name of node.needs) {
      const parent = byName.get(name)
      if (parent) visit(parent, new Set([...path, node]))
    }
    ordered.add(node)
  }
  for (const node of nodes) visit(node, new Set())
  return [...ordered]
}
