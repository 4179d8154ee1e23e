// The texts that a configuration is made of: the repository's file, and the user's own below it where there is one.
import { type ConfigLocation, findConfig, resolveLocation, userConfigPath } from '../find-config.ts'
import { type ConfigText, readConfig } from '../read-config.ts'

export interface LayerTexts {
  /** The file that was found: of a repository, or the user's own where no other applies. */
  main: ConfigText
  /** The user's own file below it; null: there is none, or it is the main one. */
  user: ConfigText | null
  /** The user's own file is the only one that was found. */
  isUsersOnly: boolean
}

export function readLayers(location: ConfigLocation): LayerTexts {
  const found = findConfig(location)
  const main = readConfig(found.path)
  const userPath = userConfigPath(resolveLocation(location))
  const user = userPath === null ? null : readConfig(userPath)
  const isSame = user !== null && user.path === main.path
  return { main, user: isSame ? null : user, isUsersOnly: found.how === 'global' }
}
