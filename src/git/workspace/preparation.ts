// What the steps that make a fresh workspace usable share.
export interface Preparation {
  /** The main checkout. */
  source: string
  /** The new workspace. */
  target: string
  env: NodeJS.ProcessEnv
  onProgress: (line: string) => void
}
