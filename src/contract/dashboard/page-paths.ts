// The paths of the page, for the server and the page itself. Everything else is not found.

export const PAGE_PATHS = [
  '/',
  '/sessions/:id',
  '/pulls',
  '/projects/:project/pull/:number',
  '/projects/:project/pull/:number/checks/:check',
  '/radar',
  '/issues',
  '/projects/:project/issues/:id',
  '/observability',
  '/feedback',
  '/archive',
  '/settings',
] as const

export type PagePath = (typeof PAGE_PATHS)[number]

const PATTERNS = PAGE_PATHS.map((path) => new RegExp(`^${path.replace(/:[a-z]+/g, '[^/]+')}/?$`))

export function isPagePath(path: string): boolean {
  return PATTERNS.some((pattern) => pattern.test(path))
}
