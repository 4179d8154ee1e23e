// The sections of the dashboard, in navigation order.
import type { IconName } from '../ui/icon.tsx'

export const DESTINATIONS: ReadonlyArray<{ href: string; label: string; icon: IconName; key: string }> = [
  { href: '/', label: 'Board', icon: 'board', key: 'b' },
  { href: '/queue', label: 'Queue', icon: 'hand', key: 'q' },
  { href: '/pulls', label: 'Pull requests', icon: 'pull', key: 'p' },
  { href: '/radar', label: 'Radar', icon: 'radar', key: 'r' },
  { href: '/train', label: 'Train', icon: 'merge', key: 't' },
  { href: '/issues', label: 'Issues', icon: 'issue', key: 'i' },
  { href: '/observability', label: 'Observability', icon: 'pulse', key: 'o' },
  { href: '/feedback', label: 'Feedback', icon: 'inbox', key: 'f' },
  { href: '/archive', label: 'Archive', icon: 'archive', key: 'a' },
  { href: '/settings', label: 'Settings', icon: 'gear', key: ',' },
]

export function isAt(location: string, href: string): boolean {
  if (href === '/') return location === '/' || location.startsWith('/sessions/')
  // The addresses of the local forge, which appear in prompts and records.
  const ofProject = /^\/projects\/[^/]+\/(pull|issue)/.exec(location)?.[1]
  if (ofProject) return href === `/${ofProject}s`
  return location === href || location.startsWith(`${href}/`)
}
