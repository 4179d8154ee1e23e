// What a session waits for or stands on, and what needs it, drawn as `ao stack` draws it. Most sessions have nothing of it.
import { connectedTo, drawStack, type StackNode } from '../../../../src/core/task/draw-stack.ts'
import { useAnswer } from '../../api/answered.tsx'
import { STATUS_LOOKS } from '../../session/labels.ts'
import { TONE_TEXT } from '../../ui/badge.tsx'
import { Panel } from '../../ui/panel.tsx'
import { SessionLink } from '../../ui/text/session-link.tsx'
import { TimeAgo } from '../../ui/text/time-ago.tsx'
import { Visible } from '../../ui/text/visible.tsx'

const REFRESH_MS = 15_000

export function StackPanel({ id }: { id: string }) {
  const stack = useAnswer(['stack'], 'GET /api/stack', {}, { refetchInterval: REFRESH_MS })
  const nodes = connectedTo(stack.data?.nodes ?? [], id)
  if (nodes.length === 0) return null
  return (
    <Panel title="Stack">
      <ul className="flex flex-col p-4 text-xs">
        {drawStack(nodes).map(({ prefix, node, isRepeated }) => (
          <li key={prefix + node.name} className="flex">
            <Branches prefix={prefix} />
            <span className="min-w-0 py-1">
              {node.session === null || node.name === id ? (
                <strong className="font-mono break-all">{node.name}</strong>
              ) : (
                <SessionLink id={node.session.id} />
              )}{' '}
              {isRepeated ? <span className="text-muted">see above</span> : <State node={node} />}
              {node.session && !isRepeated && (
                <span className="line-clamp-2 text-muted">
                  <Visible text={node.session.title} />
                </span>
              )}
            </span>
          </li>
        ))}
      </ul>
    </Panel>
  )
}

const STEP = 3

/** The branches before a line, as lines that also run beside a text of several rows. */
function Branches({ prefix }: { prefix: string }) {
  const steps = Array.from({ length: prefix.length / STEP }, (_, at) => prefix.slice(at * STEP, (at + 1) * STEP).trim())
  return steps.map((step, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: they are drawn anew as a whole
    <span key={at} aria-hidden="true" className="relative w-5 shrink-0">
      {step !== '' && (
        <span
          className={`absolute top-0 left-1.5 border-l border-line-strong ${step === '└─' ? 'h-3.5' : 'bottom-0'}`}
        />
      )}
      {step.endsWith('─') && <span className="absolute top-3.5 right-1 left-1.5 border-t border-line-strong" />}
    </span>
  ))
}

function State({ node: { session, waitsSince, heldBack, needs, next, base } }: { node: StackNode }) {
  if (session === null) return <span className="text-muted">not under way</span>
  if (waitsSince !== null && heldBack) return <span className="text-attention">held back: {heldBack}</span>
  if (waitsSince !== null)
    return (
      <span className="text-muted">
        waits{needs.length > 0 && ` for ${needs.join(' and ')}`} (<TimeAgo at={waitsSince} />){next && ', starts next'}
      </span>
    )
  const { word, tone } = STATUS_LOOKS[session.status]
  return (
    <>
      <span className={TONE_TEXT[tone]}>{word}</span>
      {session.pr !== null && <span className="text-muted"> #{session.pr}</span>}
      {base && <span className="text-muted">, on the branch of {base}</span>}
      {heldBack && <span className="text-attention">, {heldBack}</span>}
    </>
  )
}
