// Everything that the palette leads to: actions and pages, sessions, ended ones too, pull requests.
import { useMemo } from 'react'
import { useAnswer } from '../api/answered.tsx'
import { useBoard } from '../api/live.ts'
import { PLACES } from '../shell/navigation.ts'
import type { Entry } from './rank-entries.ts'

const ACTIONS: readonly Entry[] = [
  { id: 'next', label: 'Next who needs you', kind: 'Action', icon: 'hand', href: '/queue' },
  { id: 'spawn', label: 'Spawn a session', kind: 'Action', icon: 'plus', words: 'new start', href: '/?spawn=1' },
]

export function useEntries(): Entry[] {
  const board = useBoard()
  const archive = useAnswer(['archive'], 'GET /api/archive')
  const pulls = useAnswer(['pulls', null, 'all'], 'GET /api/pulls', { query: { state: 'all' } })
  return useMemo(
    () => [
      ...[...(board?.cards.values() ?? [])].map(
        ({ id, title, agent, projectId, branch, issue }): Entry => ({
          id: `session ${id}`,
          label: `${id} ${title}`,
          kind: 'Session',
          icon: 'robot',
          words: [agent, projectId, branch, issue?.id].filter(Boolean).join(' '),
          href: `/sessions/${id}`,
        }),
      ),
      ...ACTIONS,
      ...PLACES.map(({ href, label, icon }): Entry => ({ id: `page ${href}`, label, kind: 'Page', icon, href })),
      ...(pulls.data?.pulls ?? []).map(
        ({ projectId, number, title, branch, author }): Entry => ({
          id: `pull ${projectId} ${number}`,
          label: `#${number} ${title ?? ''}`,
          kind: 'Pull request',
          icon: 'pull',
          words: [projectId, branch, author].filter(Boolean).join(' '),
          href: `/projects/${encodeURIComponent(projectId)}/pull/${number}`,
        }),
      ),
      ...(archive.data?.sessions ?? []).map(
        ({ id, title, agent, projectId, branch }): Entry => ({
          id: `archived ${id}`,
          label: `${id} ${title}`,
          kind: 'Archived session',
          icon: 'archive',
          words: [agent, projectId, branch].filter(Boolean).join(' '),
          href: `/sessions/${id}`,
        }),
      ),
    ],
    [board, archive.data, pulls.data],
  )
}
