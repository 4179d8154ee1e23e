// `ao config trust`: consent to what the configuration and the repositories ask for, after seeing all of it.

import { openConfig } from '../../../config/load-config-cached.ts'
import type { TrustItem } from '../../../config/trust/trust-items.ts'
import type { OrchestratorConfig } from '../../../contract/config.ts'
import { AoError } from '../../../contract/errors.ts'
import { plural } from '../../../core/text/format-age.ts'
import { silentLog } from '../../../lib/log.ts'
import { defineCommand, JSON_OPTION } from '../../command.ts'
import type { Io } from '../../print/io.ts'
import { agree } from './agree.ts'

export const configTrustCommand = defineCommand({
  name: 'config trust',
  about: 'Agree to what the configuration runs, sends or opens, and to files that agents obey',
  details:
    'You see the exact content first. If the content changes you are asked again.\ndocs/trust.md lists what needs consent.',
  options: {
    yes: { short: 'y', about: 'Consent without being asked' },
    ref: { value: 'branch', about: 'Also trust the agent files of this branch or commit' },
    revoke: { about: 'Withdraw consent to this configuration' },
    json: JSON_OPTION,
  },
  json: '{ configPath, trusted: [what] } or { configPath, revoked: count }',
  async run({ options }, io) {
    const { trust, revokeTrust } = await import('../../../config/trust/trust.ts')
    const config = await openConfig(io)
    const { configPath } = config
    const location = { home: io.home, env: io.env }
    if (options.revoke) {
      const revoked = await revokeTrust(configPath, location)
      if (options.json) return void io.json({ configPath, revoked })
      return void io.print(`withdrew ${plural(revoked, 'agreement')} for ${configPath}`)
    }
    await requireValid(io)
    if (options.ref !== undefined) await requireRef(config, options.ref, io)
    const items = await findItems(config, options.ref, io)
    const what = items.map((item) => item.what)
    if (items.length > 0)
      await agree({ configPath, items, yes: options.yes, hint: 'Read it, then agree with: ao config trust --yes' }, io)
    await trust(items, { ...location, now: io.clock.now() })
    if (options.json) return void io.json({ configPath, trusted: what })
    if (what.length === 0) return void io.print(`${configPath} asks for nothing that you have not agreed to`)
    for (const line of what) io.print(`${io.style.green('trusted')} ${line}`)
  },
})

/** As `ao config validate` says: consent is not given to what cannot be used, or means something else. */
async function requireValid(io: Io): Promise<void> {
  const [{ loadParsed }, { checkPlugins }] = await Promise.all([
    import('../../../config/load-config.ts'),
    import('../../../plugins/check-plugins.ts'),
  ])
  const { config, parsed } = loadParsed({ path: io.configPath, cwd: io.cwd, env: io.env, home: io.home })
  await checkPlugins(config, parsed)
}

/** A misspelt one has no files, and would look as if everything were agreed to. */
async function requireRef(config: OrchestratorConfig, ref: string, io: Io): Promise<void> {
  const { tryGit } = await import('../../../git/git.ts')
  const args = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${ref}^{commit}`]
  for (const { path } of Object.values(config.projects))
    if ((await tryGit(path, args, { env: io.env, read: true })).ok) return
  throw new AoError('USAGE', `There is no branch or commit ${ref}`, {
    hint: 'List the branches with: git branch --all',
  })
}

async function findItems(config: OrchestratorConfig, ref: string | undefined, io: Io): Promise<TrustItem[]> {
  const [{ createPluginRegistry }, { createManagerContext: createContext }, { findUntrusted }] = await Promise.all([
    import('../../../plugins/registry.ts'),
    import('../../../manager/context.ts'),
    import('../../../manager/consent-items.ts'),
  ])
  const { env, home } = io
  // Quiet: a plugin without consent is among the items.
  const registry = createPluginRegistry({ env, home, log: silentLog })
  await registry.loadBuiltins(config, { lazy: true })
  return findUntrusted(createContext({ config, registry, env, home, log: silentLog }), { ref })
}
