// `ao mcp`: ao as an MCP server, on stdin and stdout.

import { rights } from '../../core/boundary/rights.ts'
import { createLog } from '../../lib/log.ts'
import { AO_VERSION } from '../../lib/version.ts'
import { defineCommand } from '../command.ts'
import { loadTools } from '../command-table.ts'

export const mcpCommand = defineCommand({
  name: 'mcp',
  inside: rights('yes', 'yes', 'no', 'yes'),
  about: 'Run the MCP server: other programs drive ao, agents report bugs in it',
  details:
    'It speaks MCP on stdin and stdout until its client leaves, with the rights of the same commands here. Inside a session: reports about ao. Over HTTP: POST /api/mcp of ao start, with its token.',
  examples: [{ line: 'claude mcp add ao -- ao mcp', about: 'Let Claude Code drive ao' }],
  async run(_input, io, table) {
    const { runMcpServer } = await import('../../mcp/mcp-server.ts')
    const { findCaller } = await import('../../inside/find-caller.ts')
    const { defaultAoCommand } = await import('../../manager/context.ts')
    await runMcpServer({
      input: io.stdin,
      output: process.stdout,
      env: io.env,
      clock: io.clock,
      log: createLog(io.env.AO_LOG_LEVEL),
      version: AO_VERSION ?? '0.0.0',
      role: findCaller(io)?.kind ?? null,
      aoCommand: [...defaultAoCommand(), ...(io.configPath === undefined ? [] : ['--config', io.configPath])],
      cwd: io.cwd,
      tools: () => loadTools(table),
    })
    return 0
  },
})
