/** Formats start-up errors as one line with advice. */

/** Adds advice to the error codes of Node and SQLite. */
export function formatStartError(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { code, port, address, path } = detailsOf(error)
  switch (code) {
    case 'EADDRINUSE':
      return `Port ${port} is already in use. Stop the other program, or choose another port: PORT=${Number(port) + 1} npm start`
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return `This machine does not have the address ${address ?? 'in HOST'}. Set HOST to one of its addresses, or remove it.`
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      if (port) return `No permission to listen on port ${port}. Choose a port above 1023: PORT=3000 npm start`
      return `No permission to write ${path}. Change its owner, or set DB_PATH to another path.`
    case 'ENOTDIR':
    case 'EEXIST':
      return `Cannot create the folder for the database: ${path} is a file. Set DB_PATH to another path.`
    case 'SQLITE_CANTOPEN':
    case 'SQLITE_READONLY':
    case 'SQLITE_READONLY_DIRECTORY':
      return 'The database file cannot be written. Check its owner and permissions, or set DB_PATH to another path.'
    case 'SQLITE_FULL':
    case 'SQLITE_IOERR_SHMSIZE':
      return 'The disk of the database file is full. Free some space and start again.'
    case 'SQLITE_BUSY':
      return 'The database file is locked by another process; try again when it is done.'
    case 'SQLITE_CORRUPT':
      return 'The database file is damaged. Restore a backup (docs/operations.md), or set DB_PATH to another file.'
    case 'SQLITE_NOTADB':
      return 'The database file is not a SQLite database. Set DB_PATH to another file.'
    default:
      return error.message
  }
}

interface ErrorDetails {
  readonly code?: unknown
  readonly port?: unknown
  readonly address?: unknown
  readonly path?: unknown
}

function detailsOf(error: Error & ErrorDetails): ErrorDetails {
  // The error may name the write-ahead log or the lock file; the message names the database.
  return { ...error, path: typeof error.path === 'string' ? error.path.replace(/(-wal|\.lock)$/, '') : undefined }
}
