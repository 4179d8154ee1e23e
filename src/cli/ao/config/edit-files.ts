// Where changes of a configuration file are kept and serialized, for every command that makes one.
import type { SaveContext } from '../../../config/edit/save-edit.ts'
import { runFiles } from '../../../lifecycle/loop/run-state.ts'
import { createPaths } from '../../../store/paths.ts'
import type { Io } from '../../print/io.ts'

export function configEditFiles({
  home,
  env,
}: Pick<Io, 'home' | 'env'>): (configPath: string) => Pick<SaveContext, 'lock' | 'kept'> {
  return (configPath) => {
    const files = runFiles(createPaths({ configPath, home, env }))
    return { lock: files.configLock, kept: files.configKept }
  }
}
