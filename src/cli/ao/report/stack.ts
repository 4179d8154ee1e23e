// `ao stack`: what waits for what, how long, and what starts next.
import { drawStack, type StackNode } from '../../../core/task/draw-stack.ts'
import { stackOf } from '../../../core/task/find-stacks.ts'
import { formatAge } from '../../../core/text/format-age.ts'
import { storedSessions } from '../../../manager/active.ts'
import { READS } from '../../../mcp/command-tool.ts'
import { defineCommand, JSON_OPTION } from '../../command.ts'
import type { Io } from '../../print/io.ts'
import { displayWidth, toOneLine, truncate } from '../../print/plain-text.ts'
import { openAo } from '../open-ao.ts'

export const stackCommand = defineCommand({
  name: 'stack',
  about: 'Show what waits for what, and what starts next',
  args: {},
  options: {
    project: { short: 'p', value: 'id', about: 'Only this project', completes: 'project' },
    json: JSON_OPTION,
  },
  json: '{ nodes: [{ name, session: { id, projectId, status, title, pr } | null, waitsSince, heldBack, needs: [name], base, next: [name] | null }] }',
  tool: {
    name: 'show_stack',
    title: 'Show what waits for what',
    description: 'Sessions that wait for other work or stand on its branch, with what they need.',
    hints: READS,
    input: { project: {} },
    output: { nodes: 'list' },
  },
  async run({ options }, io) {
    const { context } = await openAo(io)
    const nodes = stackOf(storedSessions(context, options.project))
    if (options.json) return void io.json({ nodes })
    if (nodes.length === 0) {
      io.print('Nothing waits for anything. For work that does: ao spawn 43 --needs 42')
      return
    }
    for (const { prefix, node, isRepeated } of drawStack(nodes)) {
      const text = isRepeated ? io.style.dim('see above') : describe(node, io, displayWidth(`${prefix}${node.name}  `))
      io.print(`${prefix}${io.style.bold(node.name)}  ${text}`)
    }
    const next = nodes.flatMap(({ name, next }) => (next ? [`${name} when ${next.join(' and ')} landed`] : []))
    if (next.length > 0) io.print(`\nNext: ${next.join(', ')}`)
  },
})

const SHORTEST_TITLE = 12

/** `used`: columns of the line that are taken already. Its title is what has to be shorter. */
function describe({ session, waitsSince, heldBack, needs, base }: StackNode, io: Io, used: number): string {
  const { style } = io
  if (session === null) return style.dim('not under way')
  const pull = session.pr === null ? '' : ` #${session.pr}`
  const waits = waitsSince && `waits ${formatAge(new Date(waitsSince), io.clock.now())}`
  const state = waits ? (heldBack ? 'held back' : waits) : `${session.status}${pull}`
  const paint = waits ? (heldBack ? style.red : style.yellow) : (text: string) => text
  const others = needs.length > 1 ? `  needs ${needs.join(', ')}` : ''
  const on = base === null ? '' : `  on the branch of ${base}`
  const why = heldBack === null ? '' : `  ${toOneLine(heldBack)}`
  const room = io.width() - used - displayWidth(`${state}  ${others}${on}${why}`)
  const title = truncate(toOneLine(session.title), Math.max(SHORTEST_TITLE, room))
  return `${paint(state)}  ${title}${style.dim(`${others}${on}`)}${style.red(why)}`
}
