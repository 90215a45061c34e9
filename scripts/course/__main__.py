"""`python -m course` is `course`."""

from course.cli import main

if __name__ == "__main__":
    main()
