// A person's own names for commands of ao (`aliases:` in the configuration): the words they stand for, with the rest of the line behind
// them. A name that is a command is never looked up here, and no alias stands for another one.

import { openConfig } from '../../config/load-config-cached.ts'
import { refuseUntrusted, untrustedItems } from '../../config/trust/trust.ts'
import { AoError } from '../../contract/errors.ts'
import type { Io } from '../print/io.ts'

/** null: it is none, or there is no configuration that could say so. */
export async function expandAlias([word = '', ...rest]: readonly string[], io: Io): Promise<string[] | null> {
  const config = await openConfig(io).catch((error: unknown) => {
    // A mistake in it must not look like an unknown command.
    if (error instanceof AoError && error.code === 'CONFIG_INVALID') throw error
    return null
  })
  const { aliases = {} } = config ?? {}
  if (config === null || !Object.hasOwn(aliases, word)) return null
  const items = untrustedItems(config, { home: io.home, env: io.env, kinds: ['agent-command'] })
  refuseUntrusted(
    config.configPath,
    items.filter(({ at }) => at[0] === 'aliases' && at[1] === word),
  )
  return [...aliases[word]!.run, ...rest]
}
