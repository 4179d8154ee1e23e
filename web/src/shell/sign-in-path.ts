/**
 * Where a pasted link leads on this very server; null: it is none of ours. Only its code is taken: what somebody was sent must not lead
 * to another server.
 */
export function signInPath(pasted: string, from: string): string | null {
  const text = pasted.trim()
  const code = /(?:^|[?&]code=)([A-Za-z0-9_-]{16,200})(?:&|$)/.exec(text)?.[1]
  if (code !== undefined) return `/sign-in?${new URLSearchParams({ code, to: from })}`
  const pairing = /(?:\/r\/\w+)?\/pair\/[A-Za-z0-9_-]{16,200}$/.exec(text)?.[0]
  return pairing ?? null
}
