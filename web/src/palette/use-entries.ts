// Everything that the palette leads to: actions and pages, sessions, ended ones too, pull requests.

import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { SessionCard } from '../../../src/contract/dashboard/cards.ts'
import { visibleLine } from '../../../src/core/text/visible-text.ts'
import { useAnswer } from '../api/answered.tsx'
import { ask } from '../api/client.ts'
import { useBoard } from '../api/live.ts'
import { DESTINATIONS } from '../shell/navigation.ts'
import type { Entry } from './rank-entries.ts'
import { useSettled } from './use-hits.ts'

const ACTIONS: readonly Entry[] = [
  { id: 'next', label: 'Next who needs you', kind: 'Action', icon: 'hand', href: '/queue' },
  { id: 'spawn', label: 'Spawn a session', kind: 'Action', icon: 'plus', keywords: 'new start', href: '/?spawn=1' },
]

/** `query`: ended sessions that the page does not have are found by the server. */
export function useEntries(query: string): Entry[] {
  const board = useBoard()
  const ended = useEndedFound(query, board?.ended.next != null)
  const archive = useAnswer(['archive'], 'GET /api/archive')
  const pulls = useAnswer(['pulls', null, 'all'], 'GET /api/pulls', { query: { state: 'all' } })
  return useMemo(
    () => [
      ...[...(board?.cards.values() ?? [])].map(sessionEntry),
      ...ended.filter(({ id }) => !board?.cards.has(id)).map(sessionEntry),
      ...ACTIONS,
      ...DESTINATIONS.map(({ href, label, icon }): Entry => ({ id: `page ${href}`, label, kind: 'Page', icon, href })),
      ...(pulls.data?.pulls ?? []).map(
        ({ projectId, number, title, branch, author }): Entry => ({
          id: `pull ${projectId} ${number}`,
          label: `#${number} ${title ?? ''}`,
          kind: 'Pull request',
          icon: 'pull',
          keywords: [projectId, branch, author].filter(Boolean).join(' '),
          href: `/projects/${encodeURIComponent(projectId)}/pull/${number}`,
        }),
      ),
      ...(archive.data?.sessions ?? []).map(
        ({ id, title, agent, projectId, branch }): Entry => ({
          id: `archived ${id}`,
          label: `${id} ${visibleLine(title)}`,
          kind: 'Archived session',
          icon: 'archive',
          keywords: [agent, projectId, branch].filter(Boolean).join(' '),
          href: `/sessions/${id}`,
        }),
      ),
    ],
    [board, ended, archive.data, pulls.data],
  )
}

function sessionEntry({ id, title, agent, projectId, branch, issue }: SessionCard): Entry {
  return {
    id: `session ${id}`,
    label: `${id} ${visibleLine(title)}`,
    kind: 'Session',
    icon: 'robot',
    keywords: [agent, projectId, branch, issue?.id].filter(Boolean).join(' '),
    href: `/sessions/${id}`,
  }
}

const NONE: readonly SessionCard[] = []

function useEndedFound(query: string, areSomeElsewhere: boolean): readonly SessionCard[] {
  const debounced = useSettled(query.trim())
  const { data } = useQuery({
    queryKey: ['ended', debounced],
    queryFn: ({ signal }) => ask('GET /api/ended', { query: { q: debounced }, signal }),
    enabled: areSomeElsewhere && debounced !== '',
    // Asked anew each time: nothing says when it is old.
    staleTime: 0,
    gcTime: 0,
    placeholderData: keepPreviousData,
  })
  return data?.sessions ?? NONE
}
