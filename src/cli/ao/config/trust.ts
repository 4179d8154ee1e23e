// `ao config trust`: agree to what the configuration would run, after having seen it.
import { AoError } from '../../../contract/errors.ts'
import { plural } from '../../../core/text/format-age.ts'
import { defineCommand, JSON_OPTION } from '../../command.ts'
import type { Io } from '../../io.ts'
import { openConfig } from '../open-ao.ts'

export const configTrustCommand = defineCommand({
  name: 'config trust',
  about: 'Agree to the commands and plugins that the configuration would run',
  details:
    'Trust is for this exact content: what changes is asked for again. On a terminal you are asked; elsewhere say --yes.',
  args: {},
  options: {
    yes: { short: 'y', about: 'Agree without being asked' },
    revoke: { about: 'Take back what was agreed to in this configuration' },
    json: JSON_OPTION,
  },
  json: '{ configPath, trusted: [what] } or { configPath, revoked: count }',
  async run({ options }, io) {
    const { untrustedItems, trust, revokeTrust } = await import('../../../config/trust/trust.ts')
    const config = await openConfig(io)
    const { configPath } = config
    const place = { home: io.home, env: io.env }
    if (options.revoke) {
      const revoked = await revokeTrust(configPath, place)
      if (options.json) return void io.json({ configPath, revoked })
      return void io.print(`took back ${plural(revoked, 'agreement')} for ${configPath}`)
    }
    const items = untrustedItems(config, place)
    const what = items.map((item) => item.what)
    if (what.length > 0 && !options.yes) await askToTrust(configPath, what, io)
    await trust(items, { ...place, now: io.clock.now() })
    if (options.json) return void io.json({ configPath, trusted: what })
    if (what.length === 0) return void io.print(`${configPath} runs nothing that you have not trusted`)
    for (const line of what) io.print(`${io.style.green('trusted')} ${line}`)
  },
})

async function askToTrust(configPath: string, what: string[], io: Io): Promise<void> {
  const list = what.map((line) => `\n  ${line}`).join('')
  if (!io.stdin.isTTY || !io.noteIsTerminal) {
    throw new AoError('CONFIG_UNTRUSTED', `${configPath} would run:${list}`, {
      hint: 'Read it, then agree with: ao config trust --yes',
      details: { configPath, items: what },
    })
  }
  io.note(`${configPath} would run:${list}`)
  const { createInterface } = await import('node:readline/promises')
  const reader = createInterface({ input: io.stdin, output: process.stderr })
  const answer = await reader.question('Trust this? [y/N] ').finally(() => reader.close())
  if (/^y(es)?$/i.test(answer.trim())) return
  throw new AoError('CONFIG_UNTRUSTED', 'Nothing was trusted', { hint: 'Run it again when you have read it' })
}
