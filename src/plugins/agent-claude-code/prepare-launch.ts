// What stands ready before Claude starts: its settings, its MCP server, its session id, and no dialog in its way.
import { randomUUID } from 'node:crypto'
import { mkdirSync, rmSync } from 'node:fs'
import { writeFileAtomic } from '../../lib/atomic-write.ts'
import type { Clock } from '../../lib/clock.ts'
import { readPlainText } from '../../lib/plain-file.ts'
import type { AgentLaunch } from '../../slots/agent.ts'
import type { PluginContext } from '../../slots/plugin.ts'
import { pathAndTarget } from '../agent-files/list-directory.ts'
import { fitsArgument } from '../agent-files/program-words.ts'
import { claudeAccountFile, claudeConfigDir, stateFiles } from './claude-paths.ts'
import { longPromptInstructions } from './launch-command.ts'
import { writeLaunchRecord } from './launch-record.ts'
import { seedAccountFile } from './seed-account-file.ts'
import { claudeMcpConfig, claudeSettings } from './settings-file.ts'

export async function prepareLaunch(launch: AgentLaunch, context: PluginContext, clock: Clock): Promise<void> {
  const { stateDir, workspacePath, config } = launch
  const { home, env } = context
  mkdirSync(stateDir, { recursive: true, mode: 0o700 })
  writeJson(stateFiles.settings(stateDir), claudeSettings(launch))
  writeJson(stateFiles.mcp(stateDir), claudeMcpConfig(launch))
  writeLongPrompt(launch)
  writeLaunchRecord(stateDir, {
    newSessionId: launch.isResume ? null : randomUUID(),
    configDir: claudeConfigDir(home, env, config.env),
    launchedAt: clock.now(),
  })
  const seeds = {
    workspacePaths: pathAndTarget(workspacePath),
    apiKey: config.env?.ANTHROPIC_API_KEY ?? env.ANTHROPIC_API_KEY,
  }
  await seedAccountFile(claudeAccountFile(home, env, config.env), seeds, context.log)
}

/** A resume leaves it as it is: the task of a resumed session is the one it began with. */
function writeLongPrompt({ prompt, systemPromptFile, stateDir }: AgentLaunch): void {
  if (prompt === undefined) return
  const file = stateFiles.longPrompt(stateDir)
  if (fitsArgument(prompt)) {
    rmSync(file, { force: true })
    return
  }
  const systemPrompt = systemPromptFile ? readPlainText(systemPromptFile) : ''
  writeFileAtomic(file, longPromptInstructions(systemPrompt, prompt))
}

function writeJson(path: string, content: unknown): void {
  writeFileAtomic(path, `${JSON.stringify(content, null, 2)}\n`, { durable: false })
}
