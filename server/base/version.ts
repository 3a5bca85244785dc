/** The version of this package; a test keeps it equal to package.json. */
export const VERSION = '0.1.0'

/** Version of a worker whose application sets none. */
export const WORKER_VERSION = `millrace ${VERSION}`
