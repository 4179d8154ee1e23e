// How the user's own configuration and that of a repository are put together, key by key.

export type Keys = readonly string[]
/** A configuration file as it was written. */
export type Content = Readonly<Record<string, unknown>>

/** `whole`: one value stands, not a mixture. `joined`: both lists count. `repository`: only the repository's file counts. */
export type MergeRule = 'whole' | 'joined' | 'repository' | MergeKeys
export interface MergeKeys {
  keys: Readonly<Record<string, MergeRule>>
  /** What is not among the keys. */
  others: MergeRule
}

const keyByKey = (keys: MergeKeys['keys'] = {}, others: MergeRule = 'whole'): MergeKeys => ({ keys, others })
const role = keyByKey({ agentConfig: keyByKey() })

export const MERGE_RULES: MergeKeys = keyByKey({
  $schema: 'repository',
  // A project belongs to the file that describes its repository.
  projects: 'repository',
  accounts: keyByKey(),
  dashboard: keyByKey(),
  lifecycle: keyByKey(),
  // What one of them denies is denied.
  defaults: keyByKey({ environment: keyByKey({ deny: 'joined' }), worker: role, orchestrator: role }),
  // A plugin and its options belong together: options of one plugin mean nothing to another.
  plugins: keyByKey({ external: 'joined' }),
  notifiers: keyByKey(),
  webhooks: keyByKey(),
  notificationRouting: keyByKey(),
  reactions: keyByKey({}, keyByKey()),
})
