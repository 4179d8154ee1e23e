// A workspace on one line.
import type { Workspace } from '../../agh/setup/workspaces.ts'

export function workspaceLine({ id, name, path }: Workspace): string {
  return `${name}  ${path}  (${id})`
}
