// `ao mcp`: the MCP server beside an agent, on stdin and stdout.
import { createLog } from '../../lib/log.ts'
import { AO_VERSION } from '../../lib/version.ts'
import { defineCommand } from '../command.ts'

export const mcpCommand = defineCommand({
  name: 'mcp',
  about: 'Run the MCP server with which agents report bugs and ideas about ao',
  details: 'Started by agents, not by people: it speaks MCP on stdin and stdout until its client leaves.',
  args: {},
  options: {},
  async run(_input, io) {
    const { runMcpServer } = await import('../../mcp/feedback-server.ts')
    await runMcpServer({
      input: io.stdin,
      output: process.stdout,
      env: io.env,
      clock: io.clock,
      log: createLog(io.env.AO_LOG_LEVEL),
      version: AO_VERSION ?? '0.0.0',
    })
    return 0
  },
})
