// How Codex's sandbox gets what `git` and `gh` write. A permission profile can protect single files in a writable
// directory; older-style settings cannot be mixed with profiles, so there directories are only added. Pure.
import type { PermissionMode } from '../../contract/config.ts'
import type { SandboxNeeds } from '../../slots/agent.ts'
import { tomlString, tomlTable } from './toml-value.ts'

/** The user's own settings, as Codex reports them. */
export interface SandboxSettings {
  /** read-only, workspace-write or danger-full-access: older-style settings. */
  mode: string | null
  /** The profile that applies otherwise. */
  profile: string | null
}

const PROFILE = 'ao'
const WORKSPACE = ':workspace'

/** `settings`: null when Codex did not report them. */
export function sandboxFlags(
  permissions: PermissionMode,
  settings: SandboxSettings | null,
  needs: SandboxNeeds = { write: [], writeIfProtected: [], protect: [] },
): string[] {
  if (permissions === 'skip' || permissions === 'suggest') return []
  const isChosen = permissions === 'auto-edit'
  if (settings === null || settings.mode !== null) {
    const mode = isChosen ? 'workspace-write' : settings?.mode
    const added = mode === 'read-only' || mode === 'danger-full-access' ? [] : needs.write
    return [...(isChosen ? ['--sandbox', 'workspace-write'] : []), ...added.flatMap((path) => ['--add-dir', path])]
  }
  const base = isChosen ? WORKSPACE : (settings.profile ?? WORKSPACE)
  // The user decided that nothing may be written, or that everything may.
  if (base === ':read-only' || base === ':danger-full-access') return []
  return ['-c', `default_permissions=${tomlString(PROFILE)}`, '-c', `permissions.${PROFILE}=${profileOn(base, needs)}`]
}

function profileOn(base: string, { write, writeIfProtected, protect }: SandboxNeeds): string {
  const files = tomlTable([
    ...[...write, ...writeIfProtected].map((path) => [path, tomlString('write')] as const),
    ...protect.map((path) => [path, tomlString('read')] as const),
  ])
  return `{extends=${tomlString(base)},filesystem=${files}}`
}

/** The user has decided that commands write nothing, so nothing can be committed either. */
export function writesNothing(permissions: PermissionMode, settings: SandboxSettings | null): boolean {
  if (permissions !== 'default') return false
  return settings?.mode === 'read-only' || (settings?.mode === null && settings.profile === ':read-only')
}
