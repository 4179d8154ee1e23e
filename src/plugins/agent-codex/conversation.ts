// Codex's thread of a session on its way to another machine: one rollout file, which Codex finds by the id in its name.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { AgentConversation } from '../../slots/agent.ts'
import type { PluginContext } from '../../slots/plugin.ts'
import { type Rollout, rememberRollout } from './find-rollout.ts'
import { codexHome } from './launch.ts'

type Locate = (
  session: Parameters<AgentConversation['files']>[0],
  stateDir: string,
) => Promise<{ rollout: Rollout | null }>

/** Below Codex's own directory. */
const NAME = /(?:^|\/)(sessions\/\d{4}\/\d{2}\/\d{2}\/rollout-[\w.-]{1,150}\.jsonl)$/

export function codexConversation(locate: Locate, context: PluginContext): AgentConversation {
  return {
    async files(session, { stateDir }) {
      const { rollout } = await locate(session, stateDir)
      const name = NAME.exec(rollout?.path ?? '')?.[1]
      return rollout && name ? { [name]: rollout.path } : {}
    },
    async adopt(names, { stateDir, config }) {
      const name = names.find((one) => NAME.exec(one)?.[1] === one)
      if (name === undefined) return {}
      const path = join(codexHome(context.home, context.env, config.env), name)
      mkdirSync(stateDir, { recursive: true, mode: 0o700 })
      // Its first record names the directory of the other machine, so a search would not find it.
      await rememberRollout(stateDir, { path }, context.log)
      return { [name]: path }
    },
  }
}
