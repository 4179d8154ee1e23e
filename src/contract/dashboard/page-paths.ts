// The paths of the page, for the server and the page itself. Everything else is not found.

export const PAGE_PATHS = [
  '/',
  '/queue',
  '/sessions/:id',
  '/tasks/:id',
  '/plans/:id',
  '/pulls',
  '/projects/:project/pull/:number',
  '/projects/:project/pull/:number/checks/:check',
  '/radar',
  '/train',
  '/issues',
  '/projects/:project/issues/:id',
  '/observability',
  '/feedback',
  '/archive',
  '/settings',
] as const

/** Where the page of one of several repositories is; the first one is at `/` too. */
export function repositoryBase(hash: string): string {
  return `/r/${hash}`
}

/** The repository that an address names, and the rest of the address. null: it names none. */
export function splitRepository(url: string): { hash: string | null; rest: string } {
  const found = /^\/r\/([0-9a-f]{6,64})(?=[/?#]|$)/.exec(url)
  if (found === null) return { hash: null, rest: url }
  const rest = url.slice(found[0].length)
  return { hash: found[1]!, rest: rest.startsWith('/') ? rest : `/${rest}` }
}

export type PagePath = (typeof PAGE_PATHS)[number]

const PATTERNS = PAGE_PATHS.map((path) => new RegExp(`^${path.replace(/:[a-z]+/g, '[^/]+')}/?$`))

export function isPagePath(path: string): boolean {
  return PATTERNS.some((pattern) => pattern.test(path))
}
