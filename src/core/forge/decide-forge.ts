// Which forge a remote is on, and at which address that forge answers. The one module that decides it. Pure.
import { FORGES, type ForgeRow, OTHER_FORGES } from '../../contract/forges.ts'
import { namedOrigins } from './forge-variables.ts'
import { parseRemote, type RemoteRepository } from './parse-remote.ts'

export type Variables = Readonly<Record<string, string | undefined>>

export interface RemoteForge {
  /** null: nothing says which forge runs on this host. */
  forge: ForgeRow | null
  /** Scheme and host of its web pages. */
  origin: string
  /** As the user writes it, without scheme. */
  host: string
  repo: string
  /** A product for which ao has no plugin. */
  otherProduct: string | null
}

/**
 * null: the remote is a local path or names no repository. `sshHost` is what the user's ssh configuration resolves the host
 * to.
 */
export function decideForge(url: string, env: Variables, sshHost: string | null = null): RemoteForge | null {
  const remote = parseRemote(url)
  if (remote === null) return null
  const host = sshHost === null || remote.transport !== 'ssh' ? remote.host : sshHost.toLowerCase()
  const named = FORGES.find((forge) => namedOrigins(forge, env).some((origin) => hostnameOf(origin) === host))
  const forge =
    named ?? FORGES.find((row) => isKnownHost(row, host)) ?? FORGES.find((row) => row.likelyHosts.test(host))
  const origin = originOf(remote, host, forge ?? null, env)
  const otherProduct = forge ? null : (OTHER_FORGES.find(({ hosts }) => hosts.test(host))?.title ?? null)
  return { forge: forge ?? null, origin, host: origin.replace(/^https?:\/\//, ''), repo: remote.repo, otherProduct }
}

/** Would the user's ssh configuration help? Only an otherwise unknown host is worth the query. */
export function needsSshConfig(url: string, env: Variables): boolean {
  const remote = parseRemote(url)
  if (remote?.transport !== 'ssh') return false
  const decided = decideForge(url, env)
  return decided !== null && decided.forge === null && decided.otherProduct === null
}

/**
 * The address that a plugin of this forge queries for a project with this remote. When the remote is a path, or known to be
 * on another forge (as with a mirror): the host that the environment names, else the public one.
 */
export function decideOrigin(forge: ForgeRow, remote: RemoteForge | null, env: Variables): string {
  const isThere = remote !== null && (remote.forge?.plugin === forge.plugin || isUnclaimed(remote))
  if (isThere) return remote.origin
  return namedOrigins(forge, env)[0] ?? `https://${forge.publicHost}`
}

/** The plugin named in the configuration decides what it is. */
function isUnclaimed(remote: RemoteForge): boolean {
  return remote.forge === null && remote.otherProduct === null
}

export function apiUrlOf(forge: ForgeRow, origin: string): string {
  const { protocol, host, hostname } = new URL(origin)
  const isPrefixed = forge.vendorApiPrefix !== '' && isVendorRun(forge, hostname)
  return isPrefixed ? `${protocol}//${forge.vendorApiPrefix}${host}` : `${origin}${forge.apiPath}`
}

/** The host that an API address belongs to: `api.github.com` is `github.com`. */
export function hostOfApi(forge: ForgeRow, apiUrl: string): string {
  const { host, hostname } = new URL(apiUrl)
  const { vendorApiPrefix: prefix } = forge
  const without = hostname.slice(prefix.length)
  return prefix !== '' && hostname.startsWith(prefix) && isVendorRun(forge, without) ? without : host
}

/** Is it run by the vendor, so that its users' tokens are meant for it? */
export function isVendorRun(forge: ForgeRow, hostname: string): boolean {
  return hostname === forge.publicHost || (forge.vendorHosts?.test(hostname) ?? false)
}

function isKnownHost(forge: ForgeRow, host: string): boolean {
  return isVendorRun(forge, host) || forge.aliases.includes(host)
}

function originOf(remote: RemoteRepository, host: string, forge: ForgeRow | null, env: Variables): string {
  if (forge?.aliases.includes(host)) return `https://${forge.publicHost}`
  // Only the user knows the HTTP port of a server that git reaches over ssh.
  const named = forge && namedOrigins(forge, env).find((origin) => hostnameOf(origin) === host)
  if (named) return named
  // The vendor's own pages and API are nowhere else, whatever port git goes through.
  if (forge && isVendorRun(forge, host)) return `https://${host}`
  const isWeb = remote.transport === 'http' || remote.transport === 'https'
  const port = isWeb && remote.port !== null ? `:${remote.port}` : ''
  return `${remote.transport === 'http' ? 'http' : 'https'}://${host}${port}`
}

function hostnameOf(origin: string): string {
  return new URL(origin).hostname
}
