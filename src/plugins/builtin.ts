// Every plugin that ships with ao: the one table. A row loads its code only on demand; the manifest says what a plugin is.
import { SLOT_NAMES, type SlotName } from '../contract/ids.ts'
import type { Plugin } from '../slots/plugin.ts'
import { AGENT_LOADERS } from './builtin-agents.ts'
import * as tmux from './runtime-tmux/index.ts'

export interface BuiltinPlugin {
  slot: SlotName
  name: string
  load(): Promise<{ plugin: Plugin }>
}

/** By `slot-name`, which is also the folder, but for agents of the table. */
const LOADERS: Record<`${SlotName}-${string}`, () => Promise<{ plugin: Plugin }>> = {
  // Nearly every command asks tmux, so its code is loaded with the first chunk anyway.
  'runtime-tmux': async () => tmux,
  'runtime-process': () => import('./runtime-process/index.ts'),
  'runtime-acp': () => import('./runtime-acp/index.ts'),
  'runtime-docker': () => import('./runtime-docker/index.ts'),
  'runtime-ssh': () => import('./runtime-ssh/index.ts'),
  'runtime-kubernetes': () => import('./runtime-kubernetes/index.ts'),
  'runtime-slurm': () => import('./runtime-slurm/index.ts'),
  ...AGENT_LOADERS,
  'workspace-worktree': () => import('./workspace-worktree/index.ts'),
  'workspace-clone': () => import('./workspace-clone/index.ts'),
  'workspace-existing': () => import('./workspace-existing/index.ts'),
  'workspace-read-only': () => import('./workspace-read-only/index.ts'),
  'tracker-local': () => import('./tracker-local/index.ts'),
  'scm-local': () => import('./scm-local/index.ts'),
  'tracker-github': () => import('./tracker-github/index.ts'),
  'scm-github': () => import('./scm-github/index.ts'),
  'tracker-gitlab': () => import('./tracker-gitlab/index.ts'),
  'tracker-linear': () => import('./tracker-linear/index.ts'),
  'tracker-jira': () => import('./tracker-jira/index.ts'),
  'scm-gitlab': () => import('./scm-gitlab/index.ts'),
  'tracker-forgejo': () => import('./tracker-forgejo/index.ts'),
  'scm-forgejo': () => import('./scm-forgejo/index.ts'),
  'notifier-desktop': () => import('./notifier-desktop/index.ts'),
  'notifier-slack': () => import('./notifier-slack/index.ts'),
  'notifier-discord': () => import('./notifier-discord/index.ts'),
  'notifier-webhook': () => import('./notifier-webhook/index.ts'),
  'notifier-ntfy': () => import('./notifier-ntfy/index.ts'),
  'terminal-attach': () => import('./terminal-attach/index.ts'),
  'terminal-iterm2': () => import('./terminal-iterm2/index.ts'),
  'terminal-web': () => import('./terminal-web/index.ts'),
}

export const BUILTIN_PLUGINS: readonly BuiltinPlugin[] = Object.entries(LOADERS).map(([folder, load]) => {
  const slot = SLOT_NAMES.find((name) => folder.startsWith(`${name}-`))!
  return { slot, name: folder.slice(slot.length + 1), load }
})
