// What waits for what, drawn as a forest: work that others need above those that need it. Pure, and small: the page has it too.
import type { SessionStatus } from '../../contract/status.ts'

export interface StackNode {
  /** A session's id, or the issue or pull request that sessions need, as people write it. */
  name: string
  /** null: not a session of ours. */
  session: { id: string; projectId: string; status: SessionStatus; title: string; pr: number | null } | null
  /** ISO 8601; null: it does not wait. */
  waitsSince: string | null
  /** Why it does not start by itself, or is not brought along by itself. */
  heldBack: string | null
  /** Names of what it needs, and of the work that its branch stands on. */
  needs: string[]
  /** The session whose branch it stands on. */
  base: string | null
  /** It starts as soon as these have landed, which are under way; null: it has started, or more has to start first. */
  next: string[] | null
}

/** Those that one of them needs or is needed by, however far away. */
export function connectedTo(nodes: readonly StackNode[], name: string): StackNode[] {
  const found = new Set([name])
  for (let before = 0; before < found.size; ) {
    before = found.size
    for (const node of nodes)
      if (found.has(node.name) || node.needs.some((one) => found.has(one)))
        for (const one of [node.name, ...node.needs]) found.add(one)
  }
  return nodes.filter((node) => found.has(node.name))
}

export interface StackLine {
  /** Branches of the tree, drawn. */
  prefix: string
  node: StackNode
  /** It stands above already, under something else that it needs. */
  isRepeated: boolean
}

export function drawStack(nodes: readonly StackNode[]): StackLine[] {
  const lines: StackLine[] = []
  const drawn = new Set<StackNode>()
  const draw = (node: StackNode, lead: string, own: string): void => {
    const isRepeated = drawn.has(node)
    lines.push({ prefix: own, node, isRepeated })
    if (isRepeated) return
    drawn.add(node)
    const children = nodes.filter(({ needs }) => needs.includes(node.name))
    children.forEach((child, index) => {
      const isLast = index === children.length - 1
      draw(child, `${lead}${isLast ? '   ' : '│  '}`, `${lead}${isLast ? '└─ ' : '├─ '}`)
    })
  }
  for (const node of nodes) if (node.needs.length === 0) draw(node, '', '')
  // Only a damaged record leads in a circle: it is shown all the same.
  for (const node of nodes) if (!drawn.has(node)) draw(node, '', '')
  return lines
}
