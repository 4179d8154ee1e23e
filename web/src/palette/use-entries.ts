// Everything that the palette leads to: actions and pages, sessions, ended ones too, pull requests.

import { useMemo } from 'react'
import type { PullRow } from '../../../src/contract/dashboard/answers.ts'
import type { SessionCard } from '../../../src/contract/dashboard/cards.ts'
import { visibleLine } from '../../../src/core/text/visible-text.ts'
import { KEEP, useAnswer } from '../api/answered.tsx'
import { useBoard } from '../api/live.ts'
import { DESTINATIONS } from '../shell/navigation.ts'
import { type Entry, sessionHref, withPins } from './rank-entries.ts'
import { useSettled } from './use-hits.ts'

const ACTIONS: readonly Entry[] = [
  { id: 'next', label: 'Next who needs you', kind: 'Action', icon: 'hand', href: '/queue' },
  { id: 'spawn', label: 'Spawn a session', kind: 'Action', icon: 'plus', keywords: 'new start', href: '/?spawn=1' },
]

/** `query`: ended sessions that the page does not have are found by the server. `first`: before all that is not pinned. */
export function useEntries(query: string, first: readonly Entry[]): Entry[] {
  const board = useBoard()
  const ended = useEndedFound(query, board?.ended.next != null)
  const archive = useAnswer(['archive'], 'GET /api/archive')
  const pulls = useAnswer(['pulls', null, 'all'], 'GET /api/pulls', { query: { state: 'all' } })
  return useMemo(() => {
    const sessions = [
      ...[...(board?.cards.values() ?? [])].map(sessionEntry),
      ...ended.filter(({ id }) => !board?.cards.has(id)).map(sessionEntry),
    ]
    const archived = (archive.data?.sessions ?? []).map(
      (one): Entry => ({ ...sessionEntry({ ...one, issue: null }), kind: 'Archived session', icon: 'archive' }),
    )
    const pages = DESTINATIONS.map(
      ({ href, label, icon }): Entry => ({ id: `page ${href}`, label, kind: 'Page', icon, href }),
    )
    const all = [...first, ...sessions, ...ACTIONS, ...pages, ...(pulls.data?.pulls ?? []).map(pullEntry), ...archived]
    return withPins(all, board?.pins ?? [])
  }, [board, ended, first, archive.data, pulls.data])
}

function pullEntry({ projectId, number, title, branch, author }: PullRow): Entry {
  return {
    id: `pull ${projectId} ${number}`,
    label: `#${number} ${visibleLine(title ?? '')}`,
    kind: 'Pull request',
    icon: 'pull',
    keywords: [projectId, branch, author].filter(Boolean).join(' '),
    href: `/projects/${encodeURIComponent(projectId)}/pull/${number}`,
  }
}

type Named = Pick<SessionCard, 'id' | 'title' | 'agent' | 'projectId' | 'branch' | 'issue'>

function sessionEntry({ id, title, agent, projectId, branch, issue }: Named): Entry {
  return {
    id: `session ${id}`,
    label: `${id} ${visibleLine(title)}`,
    kind: 'Session',
    icon: 'robot',
    keywords: [agent, projectId, branch, issue?.id].filter(Boolean).join(' '),
    href: sessionHref(id),
  }
}

const NONE: readonly SessionCard[] = []

function useEndedFound(query: string, areSomeElsewhere: boolean): readonly SessionCard[] {
  const debounced = useSettled(query.trim())
  const { data } = useAnswer(
    ['ended', debounced],
    'GET /api/ended',
    { query: { q: debounced } },
    {
      enabled: areSomeElsewhere && debounced !== '',
      // Asked anew each time: nothing says when it is old.
      staleTime: 0,
      gcTime: 0,
      ...KEEP,
    },
  )
  return data?.sessions ?? NONE
}
