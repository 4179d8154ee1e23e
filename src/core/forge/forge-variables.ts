// What the user's environment says about a forge's servers. Pure.
import type { ForgeRow } from '../../contract/forges.ts'

type Variables = Readonly<Record<string, string | undefined>>

/** Origins of servers named by variables such as GITLAB_HOST: a host, a host with a port, or a whole address. */
export function namedOrigins(forge: ForgeRow, env: Variables): string[] {
  return forge.hostVariables.flatMap((name) => {
    const origin = toOrigin(env[name]?.trim() ?? '')
    return origin === null ? [] : [origin]
  })
}

function toOrigin(text: string): string | null {
  const match = /^(https?:\/\/)?([A-Za-z0-9][A-Za-z0-9.-]*)(:[0-9]{1,5})?\/*$/.exec(text)
  if (!match) return null
  const url = `${match[1] ?? 'https://'}${match[2]!.toLowerCase()}${match[3] ?? ''}`
  return URL.canParse(url) ? new URL(url).origin : null
}
