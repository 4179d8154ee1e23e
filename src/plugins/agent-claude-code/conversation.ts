// Claude's transcripts of a session on their way to another machine: it finds them by their id, below the name of the
// directory that it works in.
import { basename, join } from 'node:path'
import type { Clock } from '../../lib/clock.ts'
import type { AgentConversation } from '../../slots/agent.ts'
import type { PluginContext } from '../../slots/plugin.ts'
import type { FoldCache } from '../agent-files/fold-cache.ts'
import { realPath } from '../agent-files/list-directory.ts'
import { claudeConfigDir, claudeFiles, isSessionId } from './claude-paths.ts'
import { findSubagentTranscripts, findTranscripts, type TranscriptQuery } from './find-transcripts.ts'
import { adoptSessions } from './launch.ts'

type Locate = (
  session: Parameters<AgentConversation['files']>[0],
  stateDir: string,
) => Promise<{ query: TranscriptQuery; cache: FoldCache }>

/** `{session id}.jsonl`, `{session id}/subagents/agent-….jsonl` */
const NAME = /^([^/]+?)(?:\.jsonl|\/subagents\/(agent-[\w-]{1,100}\.jsonl))$/

export function claudeConversation(locate: Locate, context: PluginContext, clock: Clock): AgentConversation {
  return {
    async files(session, { stateDir }) {
      const { query, cache } = await locate(session, stateDir)
      const { transcripts } = await findTranscripts(query, cache)
      const files: Record<string, string> = {}
      for (const transcript of transcripts) {
        files[`${transcript.sessionId}.jsonl`] = transcript.path
        for (const path of await findSubagentTranscripts(transcript)) {
          files[`${transcript.sessionId}/subagents/${basename(path)}`] = path
        }
      }
      return files
    },
    async adopt(names, launch) {
      const configDir = claudeConfigDir(context.home, context.env, launch.config.env)
      const adopted = names.flatMap((name) => {
        const [, id = '', subagent] = NAME.exec(name) ?? []
        return isSessionId(id) ? [{ name, id, subagent }] : []
      })
      const ids = adopted.flatMap(({ id, subagent }) => (subagent === undefined ? [id] : []))
      adoptSessions(launch, ids, context, clock)
      const workspace = realPath(launch.workspacePath)
      return Object.fromEntries(
        adopted.map(({ name, id, subagent }) => {
          const transcript = claudeFiles.transcript(configDir, workspace, id)
          if (subagent === undefined) return [name, transcript]
          return [name, join(transcript.slice(0, -'.jsonl'.length), 'subagents', subagent)]
        }),
      )
    },
  }
}
