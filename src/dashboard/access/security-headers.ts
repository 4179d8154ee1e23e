// Headers of every response. Pages load no script and no markup but their own files.
import type { ServerResponse } from 'node:http'

const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  // The terminal sets colours by style elements and attributes it creates itself; scripts have no such exception.
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
  // For notifications only.
  "worker-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  // No text becomes markup, whatever a bug in the page does with it.
  "require-trusted-types-for 'script'",
  // The page names its worker through it, and nothing else.
  'trusted-types ao-worker',
]

const HEADERS: ReadonlyArray<readonly [string, string]> = [
  ['content-security-policy', POLICY.join('; ')],
  ['x-content-type-options', 'nosniff'],
  ['x-frame-options', 'DENY'],
  ['referrer-policy', 'no-referrer'],
  ['cross-origin-opener-policy', 'same-origin'],
  ['cross-origin-resource-policy', 'same-origin'],
  ['permissions-policy', 'camera=(), microphone=(), geolocation=(), payment=(), usb=()'],
  // Each route declares how long its response may be cached; the rest is not cached.
  ['cache-control', 'no-store'],
]

export function setSecurityHeaders(response: ServerResponse): void {
  for (const [name, value] of HEADERS) response.setHeader(name, value)
}
