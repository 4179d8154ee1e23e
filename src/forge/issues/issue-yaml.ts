// The YAML package for front matter, in its own file so that it is loaded only when an issue is read or written.
export { parse, stringify } from 'yaml'
