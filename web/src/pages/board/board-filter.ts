// Which cards are shown. Kept in the address, so that a view can be bookmarked and shared. Pure.
import type { SessionCard } from '../../../../src/contract/dashboard/cards.ts'

export interface BoardFilter {
  project: string
  agent: string
  text: string
}

const KEYS: Record<keyof BoardFilter, string> = { project: 'project', agent: 'agent', text: 'q' }

export function readFilter(search: string): BoardFilter {
  const params = new URLSearchParams(search)
  const get = (key: keyof BoardFilter) => params.get(KEYS[key]) ?? ''
  return { project: get('project'), agent: get('agent'), text: get('text') }
}

/** Other parameters of the address are preserved. */
export function writeFilter(search: string, filter: BoardFilter): string {
  const params = new URLSearchParams(search)
  for (const key of Object.keys(KEYS) as Array<keyof BoardFilter>) {
    if (filter[key] === '') params.delete(KEYS[key])
    else params.set(KEYS[key], filter[key])
  }
  const text = params.toString()
  return text === '' ? '' : `?${text}`
}

export function isFiltering(filter: BoardFilter): boolean {
  return filter.project !== '' || filter.agent !== '' || filter.text.trim() !== ''
}

/** Every word must occur on the card. */
export function matches(card: SessionCard, { project, agent, text }: BoardFilter): boolean {
  if (project !== '' && card.projectId !== project) return false
  if (agent !== '' && card.agent !== agent) return false
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0) return true
  const all = searchable(card)
  return words.every((word) => all.includes(word))
}

function searchable(card: SessionCard): string {
  const { id, title, projectId, agent, branch, issue, pr, status, lastMessage, model } = card
  return [
    id,
    title,
    projectId,
    agent,
    model,
    branch,
    status.replaceAll('_', ' '),
    issue?.id,
    pr && `#${pr.number}`,
    lastMessage,
  ]
    .filter(Boolean)
    .join('\n')
    .toLowerCase()
}
