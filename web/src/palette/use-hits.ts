// Words that were said in sessions, for the palette: found by the server, each with the way to its message.
import { useEffect, useState } from 'react'
import type { SearchHit } from '../../../src/contract/dashboard/search.ts'
import { visibleLine } from '../../../src/core/text/visible-text.ts'
import { KEEP, useAnswer } from '../api/answered.tsx'
import type { IconName } from '../ui/icon.tsx'
import type { Entry } from './rank-entries.ts'

const KINDS: Readonly<Record<SearchHit['kind'], { kind: string; icon: IconName; tab: string }>> = {
  prompt: { kind: 'Prompt', icon: 'robot', tab: 'details' },
  message: { kind: 'Message', icon: 'send', tab: 'messages' },
  terminal: { kind: 'Terminal', icon: 'terminal', tab: 'live' },
  conversation: { kind: 'Conversation', icon: 'chat', tab: 'live' },
  diff: { kind: 'Diff', icon: 'diff', tab: 'changes' },
}

/** Somebody who types asks once, and fewer letters are in everything. */
const TYPING_MS = 200
const SHORTEST = 3

/** `problem`: why nothing could be found. */
export function useHits(typed: string): { hits: Entry[]; problem: string | null } {
  const query = typed.trim()
  const settled = useSettled(query)
  const { data } = useAnswer(
    ['search', settled],
    'GET /api/search',
    { query: { q: settled } },
    {
      enabled: settled.length >= SHORTEST,
      // Asked anew each time: nothing says when it is old.
      staleTime: 0,
      gcTime: 0,
      ...KEEP,
    },
  )
  if (query.length < SHORTEST || !data) return { hits: [], problem: null }
  return { hits: data.hits.map((hit, index) => hitEntry(hit, settled, index)), problem: data.problem }
}

function hitEntry({ sessionId, kind, sequence, excerpt }: SearchHit, query: string, index: number): Entry {
  const { tab, ...shown } = KINDS[kind]
  // Without filters: `agent:codex`.
  const terms = query.split(' ').filter((term) => term.indexOf(':') <= 0)
  const plain = terms.join(' ').replaceAll('"', '')
  const address = new URLSearchParams({ tab, find: plain.trim(), ...(sequence !== null && { at: String(sequence) }) })
  return {
    ...shown,
    id: `hit ${sessionId} ${kind} ${sequence ?? ''} ${index}`,
    label: `${sessionId} ${visibleLine(excerpt)}`,
    href: `/sessions/${sessionId}?${address}`,
  }
}

/** What was typed, once nobody types. */
export function useSettled(text: string): string {
  const [settled, setSettled] = useState('')
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), TYPING_MS)
    return () => clearTimeout(timer)
  }, [text])
  return settled
}
