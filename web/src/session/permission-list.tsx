// The requests of one session. An answered one stays in its place for a moment, and new ones appear below it.
import { useRef } from 'react'
import type { SessionCard } from '../../../src/contract/dashboard/cards.ts'
import { useHeld, useSteadyList } from '../steady/use-steady-list.ts'
import { PermissionPrompt } from './permission-prompt.tsx'

type Request = SessionCard['permissions'][number]

interface Props {
  sessionId: string
  requests: readonly Request[]
  /** The whole session has left its list. */
  isGone?: boolean
}

export function PermissionList({ sessionId, requests, isGone = false }: Props) {
  const ref = useRef<HTMLDivElement>(null)
  const held = useHeld(ref)
  const shown = useSteadyList(requests, { keyOf, held })
  return (
    <div ref={ref} className="flex flex-col gap-2 empty:hidden">
      {shown.map(({ key, item, goneAt }) => (
        <PermissionPrompt key={key} sessionId={sessionId} request={item} isGone={isGone || goneAt !== null} />
      ))}
    </div>
  )
}

function keyOf({ requestId }: Request): string {
  return requestId
}
